// One lock as the threads of one process share it: which of them asks the server, when the lock is passed
// on to the next one here, and how long the lease stays when no thread wants it.
//
// core::local_sharing documents the events.
//
// Each grant has its own fence. For those that are passed on here, the server has set numbers aside above
// the fence of its own grant. A lock with `linger` stays for that time although no caller waits, until
// another client wants it.
//
// core::local_queue says whose turn it is. This machine adds the lease, its numbers, and the time that
// the lease may stay.
#pragma once

#include "base/clock.h"
#include "core/failure.h"
#include "core/lease_table.h"
#include "core/local_queue.h"
#include "core/local_sharing.h"
#include "core/patience.h"
#include "core/request.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace pawl::core {

class local_lock final : public local_sharing {
public:
    struct rules {
        std::chrono::milliseconds lease{};
        std::chrono::milliseconds linger{};
        bool renew = true;
        // Callers share one grant after another. If not, each caller asks the server itself.
        bool shares = true;
    };

    explicit local_lock(const rules& how);

    [[nodiscard]] turn arrive(bool may_wait, base::boot_time now) override;
    [[nodiscard]] turn look(ticket mine, base::boot_time now) override;
    void leave(ticket mine, base::boot_time now) override;
    [[nodiscard]] question begin_to_ask(bool alone, bool hears) override;
    void granted(bool alone, const lease_ptr& lease, base::boot_time now) override;
    void not_granted(bool alone, const trouble& why, const std::optional<silence>& seen,
                     base::boot_time now) override;
    [[nodiscard]] ending release(const lease_ptr& lease, base::boot_time now) override;
    void given_back(const lease_ptr& lease, base::boot_time now) override;
    void kept(const lease_ptr& lease, const keep_reply& got, base::boot_time sent,
              base::boot_time now) override;
    void wanted(base::boot_time now) override;
    void look_at_lease(base::boot_time now) override;
    void on_time(base::boot_time now) override;
    [[nodiscard]] std::optional<ticket> to_wake(base::boot_time now) override
    {
        return queue_.to_wake(now);
    }

private:
    [[nodiscard]] turn turn_of(local_queue::turn what, ticket mine);
    [[nodiscard]] turn take();
    [[nodiscard]] keep_request keeping() const;
    void notice_loss(base::boot_time now);
    void stay_or_drop(base::boot_time now);
    void drop();
    void give_up_all(const trouble& why);
    [[nodiscard]] bool is_sound(base::boot_time now) const;
    [[nodiscard]] bool lingers() const noexcept { return rules_.linger.count() > 0 && !wanted_; }

    rules rules_;
    local_queue queue_;
    trouble in_vain_;               // what callers that have to give up are told
    lease_ptr lease_;               // none if the lock is absent
    std::uint64_t next_fence_ = 0;  // to pass it on with
    std::uint64_t last_fence_ = 0;  // that was set aside
    unsigned often_enough_;         // see at_once_
    unsigned at_once_;              // how often in a row it was free when it was asked for
    core::hint hint_{};             // from the last grant, if at_once_ has reached often_enough_
    bool wanted_ = false;           // by another client
    bool lingers_on_ = false;       // nobody was in line when it became idle
    base::boot_time idle_since_{};
    std::optional<base::boot_time> next_look_;  // when on_time() is due
};

}  // namespace pawl::core
