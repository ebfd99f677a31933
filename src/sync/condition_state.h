// The state of a pawl::condition_variable: the lock that it belongs to, and its name.
#pragma once

#include "core/object.h"
#include "sync/client_state.h"
#include "sync/condition_wait.h"
#include "sync/grant.h"
#include "sync/lock_settings.h"
#include "sync/trouble.h"

#include <pawl/async.h>
#include <pawl/condition_variable.h>
#include <pawl/hold.h>
#include <pawl/time_limit.h>

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace pawl::sync {

class condition_state {
public:
    // Throws pawl::error (bad_argument).
    condition_state(std::shared_ptr<client_state> client, const lock_settings& lock,
                    std::string_view name);

    // Gives the lock back, waits, and has it again in `held`. Returns whether it was notified. Throws
    // pawl::error; then `held` is empty, except after bad_argument, not_owner and wrong_process.
    [[nodiscard]] bool wait(hold& held, time_limit limit, const std::stop_token& stop);

    // The same without waiting. `held` is empty afterwards.
    void wait(hold held, time_limit limit, std::unique_ptr<async::acquire_completion> told,
              std::stop_token stop);

    // Throws pawl::error.
    void notify(bool all);
    void notify(bool all, std::unique_ptr<async::completion> told);

    // For a caller that holds nothing. Throws pawl::error.
    [[noreturn]] void refuse_to_wait() const;

    [[nodiscard]] const std::string& name() const noexcept { return *condition_->condition; }

private:
    [[noreturn]] void raise(std::string_view action, const trouble& what) const;
    [[nodiscard]] grant_ptr grant_of(const hold& held) const;
    [[nodiscard]] maybe_trouble leave(hold& held, condition_wait& waits) const;
    [[nodiscard]] std::string message(std::string_view action, const trouble& what) const;

    std::shared_ptr<client_state> client_;
    std::shared_ptr<const core::object> condition_;
};

}  // namespace pawl::sync

// The name that <pawl/condition_variable.h> has for it.
class pawl::condition_variable::state final : public sync::condition_state {
public:
    using condition_state::condition_state;
};
