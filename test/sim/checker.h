// Watches a run, and reports what must never happen. docs/simulator.md lists the checks.
#pragma once

#include "sim/plan.h"
#include "sim/process.h"
#include "sim/queue_model.h"
#include "sim/script_call.h"
#include "sim/server.h"
#include "sim/silence_watch.h"
#include "sim/trace.h"
#include "sim/world.h"

#include <pawl/event.h>
#include <pawl/hold.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace pawl::sim {

struct violation {
    std::string check;
    std::string text;
    nanoseconds when{};
    std::optional<std::size_t> lock;  // unset if it concerns all locks
};

// A grant, as its holder sees it.
struct belief {
    process* who = nullptr;
    std::size_t lock = 0;
    hold* held = nullptr;
    std::stop_token told;
    std::uint64_t fence = 0;
    std::string holder;
    bool renewed = true;
    base::boot_time since{};
    std::chrono::milliseconds lease{};
    bool over = false;  // released, or about to be
    std::size_t number = 0;
};

class checker final : public server::witness {
public:
    checker(const plan& plan, world& world, server& server, trace& trace);

    // ── Reports of the users of locks ───────────────────────────────────────────────────────────

    [[nodiscard]] belief& granted(process& who, std::size_t lock, hold& held, bool renewed,
                                  std::chrono::milliseconds lease);
    void entered_again(const belief& outer, hold& inner);
    struct attempt {
        base::boot_time since;  // when the call began
        bool waits = true;      // false: it only tries
        bool fresh = true;      // a new request, not an attempt to enter again
    };
    void acquire_failed(process& who, std::size_t lock, std::error_code why, attempt how);
    void releasing(belief& which);
    void released(belief& which, std::error_code why, base::boot_time valid_until);
    void answered(const belief& which, std::string_view call, std::error_code why);
    void ended(belief& which);  // its hold is about to end

    // While this exists, a thread waits for a lock, in a call that may wait.
    class wait {
    public:
        wait(checker& where, std::size_t lock) : count_{&where.locks_[lock].waiting} { ++*count_; }
        ~wait() { --*count_; }
        wait(const wait&) = delete;
        wait& operator=(const wait&) = delete;

    private:
        unsigned* count_;
    };

    void told(process& who, const event& what);
    void write(const belief& which);

    // ── Reports of the network and of the faults ────────────────────────────────────────────────

    void sent(const process& who, std::span<const std::string_view> words);
    // A request on an existing connection: by a thread that waits for the answer, or in the
    // background.
    void called(const process& who, std::span<const std::string_view> words);
    void submitted(const process& who, std::span<const std::string_view> words);
    void arrived(const process& who) { silences_.heard(who); }
    void before(const std::vector<std::string_view>& words) override;
    void after(const std::vector<std::string_view>& words, std::string_view reply) override;
    void told(std::string_view push) override;

    // A server that loses data, or whose clock goes ahead, may grant a lock that another holder
    // still believes to have. Then only the fence helps: all earlier grants are excused from
    // exclusion.
    void server_forgot(std::optional<std::size_t> only_lock = std::nullopt);
    // The queues are empty. If `known` is false, they have an earlier state.
    void queues_lost(bool known);
    void lease_asked(std::chrono::milliseconds length);

    // ── At the end ──────────────────────────────────────────────────────────────────────────────

    void after_step();
    // After the faults have ended: detects a waiter for a lock that is free, or that is held
    // without a hold.
    void watch_waiting();
    // Within this time a client gives back what it gave up, if it can.
    [[nodiscard]] nanoseconds time_to_clean_up() const;
    void check_orphans();
    void check_leftovers();
    void too_late(const std::string& text) { fail("liveness", std::nullopt, text); }

    [[nodiscard]] const std::optional<violation>& found() const noexcept { return found_; }
    [[nodiscard]] std::uint64_t grants() const noexcept { return grants_; }
    [[nodiscard]] std::uint64_t losses() const noexcept { return losses_; }
    [[nodiscard]] std::uint64_t stale_writes() const noexcept { return stale_writes_; }
    [[nodiscard]] std::chrono::milliseconds longest_lease() const noexcept { return longest_; }

private:
    struct grant_record {
        std::uint64_t place = 0;  // its number among all grants of the lock
        std::string holder;
        std::uint64_t reserve = 0;  // how many fences above it are reserved for passing it on
        bool used = false;          // a holder has used it
        bool offered = false;       // to a bare acquire
        bool grows = true;          // it was greater than all before
    };
    struct lock_record {
        std::string name;
        std::vector<belief*> believers;  // at most one of them may be right
        std::uint64_t last_fence = 0;
        std::map<std::uint64_t, grant_record> order;  // by fence
        std::uint64_t greatest_written = 0;           // the greatest fence in the guarded register
        std::uint64_t last_writer = 0;                // the number of its grant
        std::uint64_t grants = 0;
        nanoseconds forgotten{-1};  // when the server last lost it
        queue_model queue;
        bool queue_unknown = false;       // the server's queue may differ from the one known here
        std::optional<std::string> bare;  // the holder that took it by a bare acquire
        std::optional<std::string> handed_to;  // by the request that is being executed
        std::uint64_t handed_fence = 0;
        unsigned waiting = 0;           // waiting threads
        std::uint64_t grants_seen = 0;  // these three: at the last watch_waiting()
        std::optional<std::string> holder_seen;
        bool waiting_seen = false;
    };
    struct holder_record {
        std::size_t lock = 0;
        const process* who = nullptr;
        std::optional<base::boot_time> since;  // by its process's clock, when it was first held
        std::uint64_t holds = 0;
        std::size_t last_hold = 0;  // the number of the last belief
        std::uint64_t renewals_sent = 0;
        nanoseconds renewal_tried{0};
        std::optional<nanoseconds> given_up;  // it is being released, or the acquire failed
        std::optional<nanoseconds> left;      // the call that did so has returned
        nanoseconds asked{-1};                // when it last got or renewed its place in the queue
        nanoseconds granted{-1};              // by the server, for the first time
        bool released = false;                // by the server
        bool granted_late = false;            // after that: it cannot be cleaned up any more
        nanoseconds taken_late{-1};           // by a bare acquire, after it had been given up
        nanoseconds unheard{0};  // since when its process had not heard from the server
    };

    void fail(std::string_view check, std::optional<std::size_t> lock, const std::string& text);
    void after_acquire(const script_call& call, std::string_view reply);
    void after_change(const script_call& call, std::size_t i, std::string_view reply);
    void after_bare_take(const std::vector<std::string_view>& words, std::string_view reply);
    void after_bare_count(const std::vector<std::string_view>& words, std::string_view reply);
    void check_order(const script_call& call, std::string_view reply, lock_record& lock);
    void server_grants(lock_record& lock, std::string_view holder, std::uint64_t fence,
                       std::string_view fence_key);
    void check_fence(lock_record& lock, const belief& fresh);
    void watch_lingering(std::size_t lock, const std::string& holder);
    [[nodiscard]] bool may_be_left_behind() const;
    [[nodiscard]] bool is_kept_for_nobody(std::string_view holder) const;
    void check_silence(const process& who, std::size_t lock, const attempt& how);
    void granted_late(holder_record& record, std::size_t lock, bool bounded);
    [[nodiscard]] holder_record& record_of(std::string_view holder);
    void check_exclusion(lock_record& lock);
    void watch_deadline(std::size_t number, nanoseconds due);
    [[nodiscard]] bool believes(const belief& which) const;
    [[nodiscard]] bool excused(std::size_t lock, std::string_view holder) const;
    void check_lease_outlives(const belief& which);
    [[nodiscard]] lock_record* find(std::string_view key);

    const plan* plan_;
    world* world_;
    server* server_;
    trace* trace_;
    std::vector<lock_record> locks_;
    std::list<belief> beliefs_;
    std::size_t last_belief_ = 0;
    std::map<std::string, holder_record, std::less<>> holders_;
    std::map<const process*, nanoseconds> last_heard_;
    silence_watch silences_;
    std::chrono::milliseconds longest_{0};
    std::uint64_t grants_ = 0;
    std::uint64_t losses_ = 0;
    std::uint64_t stale_writes_ = 0;
    std::uint64_t unknown_scripts_ = 0;
    std::uint64_t scripts_in_full_ = 0;
    std::vector<std::optional<std::string>> holders_before_;
    std::optional<violation> found_;
};

}  // namespace pawl::sim
