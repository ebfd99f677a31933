// One call that acquires a lock, as a machine for both drivers: first in line in this process, then at
// the server.
//
//   start ──▶ in line here ──its turn──▶ at the server ──▶ finish
//               └──passed on to it──────────────────────────▶
#pragma once

#include "base/clock.h"
#include "core/acquire.h"
#include "core/lease_table.h"
#include "sync/call.h"
#include "sync/client_state.h"
#include "sync/grant.h"
#include "sync/local_lock.h"
#include "sync/trouble.h"
#include "sync/waiting_room.h"

#include <pawl/metrics.h>
#include <pawl/time_limit.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace pawl::sync {

// For a new holder of the lock.
[[nodiscard]] core::lease_ptr new_lease(client_state& client,
                                        const std::shared_ptr<local_lock>& lock);

class acquisition final : public call {
public:
    // `client` must outlive it.
    acquisition(client_state& client, std::shared_ptr<local_lock> lock, time_limit limit,
                release_mode how);

    // Asks the server at once, and only once: this holder enters as that of `old` leaves. For a limit of
    // time_limit::now().
    void instead_of(core::lease_ptr old) { instead_of_ = std::move(old); }

    // If it has no result, it leaves the line, and gives back what it may have at the server.
    ~acquisition() override;
    acquisition(const acquisition&) = delete;
    acquisition& operator=(const acquisition&) = delete;

    [[nodiscard]] core::step start(base::boot_time now) override;
    [[nodiscard]] core::step on_reply(const core::reply& got, base::boot_time now) override;
    [[nodiscard]] core::step on_time(base::boot_time now) override;
    [[nodiscard]] core::step on_cancel(base::boot_time now, std::string_view why) override;

    [[nodiscard]] const std::string& name() const noexcept { return lock_->settings()->what.name; }

    [[nodiscard]] const local_lock& lock() const noexcept { return *lock_; }

    // After `finish`: not granted, but the server may have granted it, or may yet do so.
    [[nodiscard]] bool is_uncertain() const
    {
        return asking_ && asking_->machine.result().uncertain;
    }

    // After `finish`: some request had no answer, and may still be on its way.
    [[nodiscard]] bool is_unanswered() const
    {
        return asking_ && asking_->machine.result().wanted_until != base::boot_time{};
    }

    // After `finish`. A grant's lease is in the hands of the lease_keeper. Without a grant, nothing of
    // this call is left at the server, as soon as the server can be reached. The grant is null if the
    // object was a gate, which gives nothing to hold.
    using result = std::variant<grant_ptr, trouble>;
    [[nodiscard]] result& outcome() { return *result_; }

private:
    // At the server. Many callers only stand in line and never need this.
    struct at_server {
        at_server(core::lease_ptr mine, const core::acquire_plan& plan,
                  const base::random_unit& random)
            : lease{std::move(mine)}, machine{plan, random}
        {
        }

        core::lease_ptr lease;
        core::acquire_machine machine;
        std::optional<waiting_room::place> place;
    };

    [[nodiscard]] core::step take_turn(const core::local_sharing::turn& mine, base::boot_time now);
    [[nodiscard]] core::step leave_line(trouble why);
    [[nodiscard]] core::step ask(bool alone, base::boot_time now);
    [[nodiscard]] core::acquire_plan plan_for(const core::lease& lease,
                                              const core::local_sharing::question& how,
                                              base::boot_time now) const;
    [[nodiscard]] std::optional<core::grant_notice> handed_over();
    [[nodiscard]] core::step checked(core::step step, base::boot_time now);
    [[nodiscard]] core::step granted(base::boot_time now);
    [[nodiscard]] core::step not_granted();
    [[nodiscard]] core::step finish_with(const core::lease_ptr& lease, base::boot_time now);
    void count_grant(base::boot_time now);
    void count(grant_way how, base::boot_time now);
    void count_queue(std::uint32_t waiters);
    [[nodiscard]] core::step finish(result got);

    client_state* client_;
    std::shared_ptr<local_lock> lock_;
    time_limit limit_;
    base::boot_time until_;
    base::boot_time asked_{};  // when it started
    release_mode how_;
    core::lease_ptr instead_of_;
    std::optional<core::local_sharing::ticket> in_line_;
    std::optional<bool> asks_alone_;  // once it is this caller's turn to ask
    // Until the end of this object: a late reply needs what the request points to.
    std::unique_ptr<at_server> asking_;
    core::lease_ptr taken_;  // this caller has it
    std::optional<result> result_;
};

}  // namespace pawl::sync
