// One lock as the threads of this process share it: core::local_queue with its mutex, the lease that is
// here, and the sleep of those who wait.
//
// A release with someone waiting here passes the lock on without a round trip, while the lease is renewed
// as ever; each grant has its own fence, out of numbers that the server has set aside. With `linger` the
// lease stays for a while even if nobody waits.
#pragma once

#include "base/clock.h"
#include "core/lease_table.h"
#include "core/local_queue.h"
#include "sync/client_state.h"
#include "sync/grant.h"
#include "sync/lock_settings.h"
#include "sync/trouble.h"

#include <pawl/time_limit.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <variant>

namespace pawl::sync {

class local_lock : public std::enable_shared_from_this<local_lock> {
public:
    local_lock(client_state& client, lock_settings settings);

    [[nodiscard]] const lock_settings& settings() const noexcept { return settings_; }

    // Throws std::system_error. `client` is the one given above.
    using result = std::variant<std::shared_ptr<grant>, trouble>;
    [[nodiscard]] result acquire(const std::shared_ptr<client_state>& client, time_limit limit,
                                 const std::stop_token& stop);

    // The last hold of a grant has left.
    [[nodiscard]] maybe_trouble release(const core::lease_ptr& lease);

    // It is wanted elsewhere, or the client goes: if it lingers it is given back, in the background.
    void let_go();

private:
    using guard = std::unique_lock<std::mutex>;

    [[nodiscard]] bool wait_for_turn(guard& held, core::local_queue::turn& turn,
                                     base::boot_time until, const std::stop_token& stop);
    struct asking {
        time_limit limit;
        std::stop_token stop;
        bool beside;
    };
    [[nodiscard]] result ask(guard& held, const std::shared_ptr<client_state>& client,
                             const asking& how);
    [[nodiscard]] std::shared_ptr<grant> take(const std::shared_ptr<client_state>& client);
    [[nodiscard]] std::shared_ptr<grant> adopt(const std::shared_ptr<client_state>& client,
                                               const core::lease_ptr& lease, unsigned reserve);
    [[nodiscard]] maybe_trouble keep(guard& held, const core::lease_ptr& lease);
    void on_lost();
    void look_after_idle();
    void wake_next(guard& held);

    // These: mutex_ is held.
    void notice_loss();
    void stay_or_drop();
    void drop();
    void rest(base::boot_time now);
    [[nodiscard]] bool is_sound(base::boot_time now) const;
    [[nodiscard]] bool lingers() const;

    client_state* client_;
    lock_settings settings_;

    std::mutex mutex_;
    core::local_queue queue_;  // guarded by mutex_, as all below
    std::map<core::local_queue::ticket, std::stop_source> asleep_;
    core::lease_ptr lease_;         // none if it is absent
    std::uint64_t next_fence_ = 0;  // to pass it on with
    std::uint64_t last_fence_ = 0;  // that was set aside
    bool wanted_ = false;           // elsewhere
    base::boot_time idle_since_{};
    std::optional<base::boot_time> looked_after_;  // when the next look at what is idle is due
};

}  // namespace pawl::sync
