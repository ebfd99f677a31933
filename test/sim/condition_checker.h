// The checks of condition variables: who may be moved from a condition to the queue of its lock, that nobody is
// forgotten there, and that no notification is lost.
//
// The threads of a run put items on a shelf, and take them out. Each lock guards one shelf. A thread that finds its
// shelf empty waits for the condition. After the faults all threads wait until the last one opens the shelf.
#pragma once

#include "base/clock.h"
#include "sim/plan.h"
#include "sim/process.h"
#include "sim/run_checker.h"
#include "sim/script_call.h"
#include "sim/server.h"
#include "sim/trace.h"
#include "sim/world.h"

#include <pawl/hold.h>
#include <pawl/options.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace pawl::sim {

class condition_checker final : public run_checker {
public:
    condition_checker(const plan& plan, world& world, server& server, trace& trace);

    // ── Reports of the users ────────────────────────────────────────────────────────────────────

    // What a lock guards.
    struct shelf {
        int items = 0;
        bool open = false;          // after the faults: nobody waits any more
        std::size_t arrived = 0;    // after the faults: how many threads have come
        std::uint64_t forgets = 0;  // how often the server may have lost the lock
    };
    [[nodiscard]] shelf& shelf_of(std::size_t lock) { return shelves_[lock]; }

    // A process with so many threads takes part.
    void joins(const process& who) { processes_.push_back(&who); }
    [[nodiscard]] std::size_t living_threads() const;

    // A thread that believes to hold the lock.
    struct visit {
        process* who = nullptr;
        std::size_t lock = 0;
        hold* held = nullptr;
        std::uint64_t forgets = 0;  // as in the shelf, when the call began
        std::string holder{};
        base::boot_time since{};
        std::chrono::milliseconds longest_hold{};  // 0: no limit
    };
    using visit_ptr = std::list<visit>::iterator;
    [[nodiscard]] visit_ptr enters(process& who, std::size_t lock, hold& held,
                                   std::uint64_t forgets, const lock_options& options);
    // The work of a holder makes progress.
    void beaten(const hold& held, const process& who);
    void leaves(visit_ptr which);

    // While this exists, a thread waits for the condition.
    class sleeper {
    public:
        sleeper(condition_checker& where, std::size_t lock, bool must_wake)
            : where_{where}, lock_{lock}, must_wake_{must_wake}, since_{where.world_->now()}
        {
            where_.asleep_.push_back(this);
        }
        ~sleeper()
        {
            std::erase(where_.asleep_, this);
            where_.last_woke_at_ = where_.world_->now();
        }
        sleeper(const sleeper&) = delete;
        sleeper& operator=(const sleeper&) = delete;

        [[nodiscard]] std::size_t lock() const noexcept { return lock_; }
        [[nodiscard]] bool must_wake() const noexcept { return must_wake_; }
        [[nodiscard]] nanoseconds since() const noexcept { return since_; }

    private:
        condition_checker& where_;
        std::size_t lock_;
        bool must_wake_;  // every change of the shelf is followed by a notification
        nanoseconds since_;
    };

    struct circumstances {
        std::uint64_t forgets = 0;    // as in the shelf, when the call began
        bool ends_by_itself = false;  // the hold that the call was made with
    };
    void failed(const process& who, std::size_t lock, std::string_view call, std::error_code why,
                circumstances how);
    void note(std::size_t lock, const process& who, std::string_view text);

    // ── As in run_checker ───────────────────────────────────────────────────────────────────────

    void before(const std::vector<std::string_view>& words) override;
    void after(const std::vector<std::string_view>& words, std::string_view reply) override;
    void told(std::string_view /*push*/) override {}
    void sent(const process& who, std::span<const std::string_view> words) override;
    void submitted(const process& who, std::span<const std::string_view> words) override;
    void server_forgot(std::optional<std::size_t> only_lock) override;
    void data_lost(bool /*known*/) override {}
    void after_step() override;
    void watch_waiting() override;
    [[nodiscard]] nanoseconds time_to_clean_up() const override;
    void check_orphans() override;

private:
    // A lock and its condition at the server.
    struct state {
        std::vector<server::waiter> in_condition;
        std::vector<server::waiter> in_queue;
        std::optional<std::string> holder;
        std::vector<std::string> reachable;  // of these waiters
    };
    [[nodiscard]] state look_at(std::size_t lock);
    [[nodiscard]] std::optional<std::size_t> lock_of(const script_call& call) const;
    void check_wait(std::size_t lock, const script_call& call, std::int64_t code, const state& is);
    void check_places(std::size_t lock, const script_call& call, const state& is);
    void check_woken(std::size_t lock, const script_call& call, const state& is);
    void note_notified(std::size_t lock, const script_call& call, const state& is);
    void settles(std::string_view waiter);
    void check_passed_on();
    void check_longest_holds();
    [[nodiscard]] bool is_of_living_process(std::string_view holder) const;

    std::vector<shelf> shelves_;
    std::vector<const process*> processes_;
    std::list<visit> visits_;
    struct beat {
        std::chrono::milliseconds heartbeat{};
        base::boot_time when{};  // the last one, by the clock of its process
        std::size_t lock = 0;
    };
    std::map<std::string, beat, std::less<>> beats_;  // of the visits that need them, by holder
    std::vector<const sleeper*> asleep_;
    std::map<std::string, const process*, std::less<>> owners_;  // of holder ids
    std::map<std::string, std::uint64_t> first_seen_;            // visit::forgets, by holder id
    state was_;
    // Waiters that were notified and have not settled, with their locks. A waiter settles when its call returns with
    // the lock, or when the server executes its request to leave.
    std::map<std::string, std::size_t, std::less<>> notified_;
    // After that, a delayed copy of its request may put it into the condition again, and so may old data.
    std::set<std::string, std::less<>> settled_;
    nanoseconds last_woke_at_{0};  // when a call that waited ended last
    std::vector<std::uint64_t>
        grants_seen_;  // these two: of each lock, at the last watch_waiting()
    std::vector<std::uint64_t> grants_of_;
    nanoseconds watched_at_{-1};
};

}  // namespace pawl::sim
