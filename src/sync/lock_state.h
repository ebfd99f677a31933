// What stands behind a pawl::mutex: its name and options, and what its threads have locked.
#pragma once

#include "base/interrupt.h"
#include "core/keys.h"
#include "sync/client_state.h"
#include "sync/grant.h"
#include "sync/trouble.h"

#include <pawl/hold.h>
#include <pawl/options.h>
#include <pawl/time_limit.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pawl::sync {

// Whether a thread that holds the lock may acquire it again.
enum class reentry : bool { forbidden, allowed };

class lock_state {
public:
    // Throws pawl::error (bad_argument).
    lock_state(std::shared_ptr<client_state> client, std::string_view name,
               const lock_options& options, reentry reentry);

    using result = std::variant<std::shared_ptr<grant>, trouble>;
    [[nodiscard]] result acquire(time_limit limit, const std::stop_token& stop);

    // What lock() and unlock() need: the calling thread's holds, the last one last.
    void keep(hold what);
    [[nodiscard]] hold* current() const noexcept;
    [[nodiscard]] std::unique_ptr<hold> take_current() noexcept;

    // Whether the calling thread would wait for itself.
    [[nodiscard]] bool would_deadlock() const;

    [[nodiscard]] const core::lock_keys& keys() const noexcept { return keys_; }
    [[nodiscard]] client_state& client() const noexcept { return *client_; }

private:
    [[nodiscard]] result acquire(time_limit limit, const base::interrupt& interrupt);
    [[nodiscard]] result acquire_anew(time_limit limit, const base::interrupt& stop);
    [[nodiscard]] std::shared_ptr<grant> own_grant();
    [[nodiscard]] std::size_t last_of_this_thread() const noexcept;
    void remember(const std::shared_ptr<grant>& mine);

    std::shared_ptr<client_state> client_;
    core::lock_keys keys_;
    lock_options options_;
    layout layout_;
    reentry reentry_;

    mutable std::mutex mutex_;
    std::vector<std::pair<std::uint64_t, std::weak_ptr<grant>>> owners_;   // for re-entry
    std::vector<std::pair<std::uint64_t, std::unique_ptr<hold>>> locked_;  // by lock()
};

}  // namespace pawl::sync
