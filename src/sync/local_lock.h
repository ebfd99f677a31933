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
#include "sync/acquisition.h"
#include "sync/client_state.h"
#include "sync/grant.h"
#include "sync/lock_settings.h"
#include "sync/server_lock.h"
#include "sync/trouble.h"

#include <pawl/time_limit.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <variant>

namespace pawl::sync {

class local_lock final : public core::lease_watcher,
                         public std::enable_shared_from_this<local_lock> {
public:
    local_lock(client_state& client, settings_ptr settings, std::weak_ptr<local_locks> all);
    ~local_lock() override;
    local_lock(const local_lock&) = delete;
    local_lock& operator=(const local_lock&) = delete;

    [[nodiscard]] const lock_settings& settings() const noexcept { return *settings_; }

    // ── For a thread that waits ─────────────────────────────────────────────────────────────────

    // Throws std::system_error.
    using result = std::variant<std::shared_ptr<grant>, trouble>;
    [[nodiscard]] result acquire(time_limit limit, const std::stop_token& stop);

    // The last hold of a grant has left.
    [[nodiscard]] maybe_trouble release(const core::lease_ptr& lease);

    // ── For whoever waits in no thread ──────────────────────────────────────────────────────────

    using ticket = core::local_queue::ticket;
    using waker = std::function<void()>;  // called by any thread, with no lock of ours held

    // Someone comes, or looks again after he was woken. Who waits is woken once, and looks then.
    struct standing {
        enum class kind {
            has_it,       // granted
            asks,         // it is on him to ask the server, for all
            asks_beside,  // he may ask the server, for himself alone: he will not wait
            busy,         // nor need he
            waits,        // in line, with a ticket
            gives_up,     // someone else asked the server, which is silent
        };
        kind what{};
        std::shared_ptr<grant> granted{};  // has_it
        ticket number{};                   // waits
        trouble why{};                     // gives_up
    };
    [[nodiscard]] standing arrive(bool may_wait, const waker& wake, release_mode how);
    [[nodiscard]] standing look(ticket mine, const waker& wake, release_mode how);

    // He waits no more.
    void leave(ticket mine);

    // Who asks, before and after: what to ask with, and what came of it.
    [[nodiscard]] taking begin_to_ask(bool beside, time_limit limit);
    [[nodiscard]] result asked(bool beside, unsigned reserve, taken got, release_mode how);

    // The last hold has left; `done` is called on the scheduler.
    void release(const core::lease_ptr& lease, result_handler done);

    // ────────────────────────────────────────────────────────────────────────────────────────────

    // It is wanted elsewhere, or the client goes: if it lingers it is given back, in the background.
    void let_go();

private:
    using guard = std::unique_lock<std::mutex>;
    using turn = core::local_queue::turn;

    [[nodiscard]] standing stand(guard& held, turn my_turn, ticket mine, const waker& wake,
                                 release_mode how);
    [[nodiscard]] bool wait_for_turn(standing& mine, base::boot_time until,
                                     const std::stop_token& stop);
    [[nodiscard]] result ask(bool beside, time_limit limit, const std::stop_token& stop);
    void failed_to_ask(guard& held, const not_taken& got);
    void on_lost() override;
    void look_after_idle();
    void wake_next(guard& held);
    void wake_all(guard& held);

    // What is left to do at the server when the last hold has left.
    enum class rest_of_release { nothing, keep, give_back };
    [[nodiscard]] rest_of_release begin_release(const core::lease_ptr& lease);
    using keep_answer = answer_to<core::keep_request>;
    [[nodiscard]] core::keep_request keeping(const core::lease_ptr& lease);
    [[nodiscard]] keep_answer ask_to_keep(const core::lease_ptr& lease);
    [[nodiscard]] maybe_trouble kept(const core::lease_ptr& lease, const keep_answer& got);

    // These: mutex_ is held.
    [[nodiscard]] std::shared_ptr<grant> take(release_mode how);
    [[nodiscard]] std::shared_ptr<grant> adopt(const core::lease_ptr& lease, unsigned reserve,
                                               release_mode how);
    void notice_loss();
    void stay_or_drop();
    void drop();
    void rest(base::boot_time now);
    [[nodiscard]] bool is_sound(base::boot_time now) const;
    [[nodiscard]] bool lingers() const;

    // After it was busy it must have been free so often in a row to be taken for one that nobody else
    // wants: a bare acquire that fails costs more than one that is not tried would have saved.
    static constexpr unsigned often_enough = 3;

    client_state* client_;
    settings_ptr settings_;
    std::weak_ptr<local_locks> all_;  // it may outlive them, in a task that never runs

    std::mutex mutex_;
    core::local_queue queue_;  // guarded by mutex_, as all below
    std::map<ticket, waker> asleep_;
    trouble in_vain_;                      // what those who have to give up are told
    core::lease_ptr lease_;                // none if it is absent
    std::uint64_t next_fence_ = 0;         // to pass it on with
    std::uint64_t last_fence_ = 0;         // that was set aside
    unsigned at_once_ = often_enough - 1;  // how often in a row it was free when it was asked for
    core::hint hint_{};                    // from the last grant, if that was often
    bool wanted_ = false;                  // elsewhere
    base::boot_time idle_since_{};
    std::optional<base::boot_time> looked_after_;  // when the next look at what is idle is due
};

}  // namespace pawl::sync
