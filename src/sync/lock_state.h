// What stands behind a pawl::mutex: its name and options, and what its threads have locked.
#pragma once

#include "core/object.h"
#include "core/request.h"
#include "sync/client_state.h"
#include "sync/grant.h"
#include "sync/local_lock.h"
#include "sync/lock_settings.h"
#include "sync/trouble.h"

#include <pawl/async.h>
#include <pawl/hold.h>
#include <pawl/options.h>
#include <pawl/time_limit.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pawl::sync {

class lock_state {
public:
    // Throws pawl::error (bad_argument).
    lock_state(std::shared_ptr<client_state> client, std::string_view name,
               const lock_options& options, core::object_kind kind, fairness fairness);

    using result = std::variant<std::shared_ptr<grant>, trouble>;
    [[nodiscard]] result acquire(time_limit limit, const std::stop_token& stop);

    // The same without waiting: docs in <pawl/async.h>. Throws pawl::error.
    void acquire(time_limit limit, std::unique_ptr<async::acquire_completion> told,
                 std::stop_token stop);

    // What lock() and unlock() need: the calling thread's holds, the last one last.
    void keep(hold what);
    [[nodiscard]] hold* current() const noexcept;
    [[nodiscard]] std::unique_ptr<hold> take_current() noexcept;

    // Whether the calling thread would wait for itself.
    [[nodiscard]] bool would_deadlock() const;

    [[nodiscard]] const std::string& name() const noexcept { return settings_->what.name; }
    [[nodiscard]] client_state& client() const noexcept { return *client_; }

private:
    [[nodiscard]] bool is_recursive() const noexcept
    {
        return settings_->what.kind == core::object_kind::counted;
    }
    [[nodiscard]] maybe_trouble prepare();
    [[nodiscard]] result acquire_anew(time_limit limit, const std::stop_token& stop);
    [[nodiscard]] std::shared_ptr<grant> own_grant();
    [[nodiscard]] std::size_t last_of_this_thread() const noexcept;
    void remember(const std::shared_ptr<grant>& mine);

    std::shared_ptr<client_state> client_;
    settings_ptr settings_;
    std::shared_ptr<local_lock> local_;  // null if each caller goes to the server itself
    std::atomic<core::hint> hint_{};     // then: from the last grant, if the lock was free

    mutable std::mutex mutex_;
    std::vector<std::pair<std::uint64_t, std::weak_ptr<grant>>> owners_;   // for re-entry
    std::vector<std::pair<std::uint64_t, std::unique_ptr<hold>>> locked_;  // by lock()
};

}  // namespace pawl::sync
