// The checks that all kinds of locks have in common.
#pragma once

#include "sim/plan.h"
#include "sim/process.h"
#include "sim/run_checker.h"
#include "sim/script_call.h"
#include "sim/server.h"
#include "sim/silence_watch.h"
#include "sim/trace.h"
#include "sim/world.h"

#include <pawl/event.h>
#include <pawl/hold.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace pawl::sim {

// A grant that a thread asked for.
struct entry {
    std::size_t lock = 0;
    way_in how;
    bool renewed = true;
    std::chrono::milliseconds lease{};
    std::chrono::milliseconds longest_hold{};  // 0: no limit
    std::chrono::milliseconds heartbeat{};     // 0: none
    nanoseconds asked{};                       // when the call began
};

// A grant, as its holder sees it.
struct belief {
    process* who = nullptr;
    std::size_t lock = 0;
    way_in how;
    hold* held = nullptr;
    std::stop_token told;
    std::uint64_t fence = 0;
    std::string holder;
    bool renewed = true;
    base::boot_time since{};
    std::chrono::milliseconds lease{};
    std::chrono::milliseconds longest_hold{};
    std::chrono::milliseconds heartbeat{};
    nanoseconds asked{};
    bool over = false;  // released, or about to be
    std::size_t number = 0;
    std::optional<nanoseconds> passed_at{};  // when its deadline was first seen to have passed
};

// exclusive_checker and members_checker add what the server may do, and which grants may exist together.
class checker : public run_checker {
public:
    // ── Reports of the users of locks ───────────────────────────────────────────────────────────

    [[nodiscard]] belief& granted(process& who, hold& held, const entry& what);
    void entered_again(const belief& outer, hold& inner);
    struct attempt {
        base::boot_time since;  // when the call began
        bool waits = true;      // false: it only tries
        bool fresh = true;      // a new request, not an attempt to enter again
    };
    void acquire_failed(process& who, std::size_t lock, std::error_code why, attempt how);
    // The thread that drew the last id does not want its grant any more.
    void gave_up(process& who, std::size_t lock);
    // A writer becomes a reader, or a reader the writer. Until that is known, the holder believes nothing.
    void changing(belief& which);
    void not_changed(belief& which, std::error_code why);
    void releasing(belief& which);
    void released(belief& which, std::error_code why, base::boot_time valid_until);
    void answered(const belief& which, std::string_view call, std::error_code why);
    // The work makes progress.
    void beaten(const belief& which);
    // How often the server has executed a resize of this semaphore to this capacity.
    [[nodiscard]] virtual std::uint64_t resizes_to(std::size_t /*lock*/,
                                                   unsigned /*capacity*/) const
    {
        return 0;
    }
    // `executed`: the server has executed such a resize during the call.
    void resized(const process& who, std::size_t lock, bool executed, std::error_code why);
    void ended(belief& which);  // its hold is about to end

    // While this exists, a thread waits for a lock, in a call that may wait.
    class wait {
    public:
        wait(checker& where, std::size_t lock, way_in how)
            : all_{&where.locks_[lock].waiting}, how_{how}, since_{where.world_->now()}
        {
            all_->push_back(this);
        }
        ~wait() { std::erase(*all_, this); }
        wait(const wait&) = delete;
        wait& operator=(const wait&) = delete;

        [[nodiscard]] const way_in& how() const noexcept { return how_; }
        [[nodiscard]] nanoseconds since() const noexcept { return since_; }

    private:
        std::vector<const wait*>* all_;
        way_in how_;
        nanoseconds since_;
    };

    void heard(process& who, const event& what) override;
    // Writes to the register that the lock guards, or reads it.
    virtual void write(const belief& which) = 0;
    // Has read who leads.
    virtual void read(std::size_t /*lock*/, std::uint64_t /*fence*/, std::string_view /*payload*/)
    {
    }

    // A thread waits until the leader is another one than that with this fence, or until there is none. The fence 0
    // stands for no leader.
    struct watch {
        const process* who = nullptr;
        std::size_t lock = 0;
        std::uint64_t seen = 0;
    };
    virtual void begins_to_watch(const watch& /*which*/) {}
    virtual void watched(const watch& /*which*/, std::error_code /*why*/) {}

    // ── Reports of the network and of the faults ────────────────────────────────────────────────

    void sent(const process& who, std::span<const std::string_view> words) override;
    void called(const process& who, std::span<const std::string_view> words) override;
    void submitted(const process& who, std::span<const std::string_view> words) override;
    void arrived(const process& who) override { silences_.heard(who); }

    // A server that loses data, or whose clock goes ahead, may grant a lock that another holder
    // still believes to have. Then only the fence helps: all earlier grants are excused from
    // exclusion.
    void server_forgot(std::optional<std::size_t> only_lock) override;

    // ── As time passes, and at the end ──────────────────────────────────────────────────────────

    void after_step() override;
    void check_orphans() override;

protected:
    checker(const plan& plan, world& world, server& server, trace& trace);

    struct lock_record {
        std::string name;
        std::vector<belief*> believers;
        nanoseconds forgotten{-1};         // when the server last lost it
        std::vector<const wait*> waiting;  // the threads
    };
    struct holder_record {
        std::size_t lock = 0;
        const process* who = nullptr;
        std::optional<base::boot_time> since;  // by its process's clock, when it was first held
        std::uint64_t holds = 0;
        std::uint64_t open_holds = 0;  // not released yet
        std::uint64_t renewals_sent = 0;
        nanoseconds renewal_tried{0};
        std::optional<nanoseconds> given_up;  // it is being released, or the acquire failed
        std::optional<nanoseconds> left;      // the call that did so has returned
        nanoseconds asked{-1};                // when it last got or renewed its place in the queue
        nanoseconds granted{-1};              // by the server, for the first time
        std::optional<nanoseconds> leased;    // when the lease was granted that it has taken over
        bool released = false;                // by the server
        bool granted_late = false;            // after that: it cannot be cleaned up any more
        nanoseconds taken_late{-1};           // by a bare acquire, after it had been given up
        std::chrono::milliseconds heartbeat{0};
        base::boot_time beaten_at{};  // the last sign of progress, by its process's clock
        nanoseconds unheard{0};       // since when its process had not heard from the server
    };

    // A holder has a new grant: checks its fence.
    virtual void check_fence(const belief& fresh) = 0;
    // Whether the server has the lock for this holder.
    [[nodiscard]] virtual bool server_has(const belief& which) const;
    // Whether all that believe to hold the lock may hold it together.
    virtual void check_exclusion(std::size_t lock) = 0;
    // Whether an acquire may be refused.
    [[nodiscard]] virtual bool may_refuse(std::size_t /*lock*/) const { return false; }

    [[nodiscard]] std::optional<std::size_t> index_of(std::string_view key) const;
    [[nodiscard]] holder_record& record_of(std::string_view holder);
    [[nodiscard]] bool believes(const belief& which) const;
    // Whether the server may have granted the lock to another one too.
    [[nodiscard]] virtual bool excused(std::size_t lock, std::string_view holder) const;
    // Whether a holder may be told within its lease that it has lost the lock.
    [[nodiscard]] virtual bool may_have_lost(std::size_t lock, std::string_view holder) const
    {
        return excused(lock, holder);
    }
    // Of locks that have one holder at a time.
    void check_one_holder(std::size_t lock);
    [[nodiscard]] static bool is_silence(std::error_code why);
    [[nodiscard]] bool is_kept_for_nobody(std::string_view holder) const;

    // The server has executed a script.
    void server_grants(std::size_t lock, std::string_view holder, bool handed_over);
    // A late request may be executed only if it did not say until when it is wanted.
    void granted_late(holder_record& record, std::size_t lock, bool bounded);
    void gets_place(std::size_t lock, const script_call& call);

    std::vector<lock_record> locks_;

    // When the holder first asked a node for its vote.
    [[nodiscard]] nanoseconds voted_since(std::string_view holder) const;
    // Its process lives, and it has not given up.
    [[nodiscard]] bool is_of_living_waiter(std::string_view holder) const;
    // It gave up, and its process has had time to give back what it had.
    [[nodiscard]] bool is_forgotten(std::string_view holder) const;
    [[nodiscard]] bool may_be_left_behind() const;
    // If it believes to have the lock, the server has it for this holder.
    void check_lease_outlives(const belief& which);

private:
    void check_silence(const process& who, std::size_t lock, const attempt& how);
    void watch_deadline(std::size_t number);
    void check_longest_hold(const belief& which);
    void watch_end_of_hold(const belief& which);
    void check_beat(const process& who, std::string_view holder);

    std::list<belief> beliefs_;
    std::size_t last_belief_ = 0;
    std::map<std::string, holder_record, std::less<>> holders_;
    std::map<const process*, nanoseconds> last_heard_;
    silence_watch silences_;
};

}  // namespace pawl::sim
