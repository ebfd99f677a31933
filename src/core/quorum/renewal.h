// The machine of one round of renewals: one request to each node, for many locks.
//
// A lock is renewed if a majority has it after this round. Votes that a node has lost are taken again, so that one
// node after another may lose its data. A lock that only a bare majority has is in danger: the next node that fails
// takes it away.
#pragma once

#include "base/clock.h"
#include "core/quorum/nodes.h"
#include "core/quorum/outgoing.h"
#include "core/request.h"
#include "core/vote.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace pawl::core::quorum {

class renewal_machine {
public:
    struct lock {
        restore_part what{};
        // Of each node: until when it surely has its vote. boot_time{} if it has none.
        std::vector<base::boot_time> vote_until{};
        // Of each node: a hand-back of the vote had no answer, and may be executed later. The last number that belongs to
        // that vote, or 0 if there is no such hand-back. Empty: of none.
        std::vector<std::uint64_t> numbers_at_risk{};
        // Of each node: a return of an earlier claim of this holder may yet be executed there, and take the vote away.
        // So the vote does not count, and is not restored. Empty: of none.
        std::vector<bool> avoided{};

        [[nodiscard]] bool avoids(unsigned node) const { return !avoided.empty() && avoided[node]; }
    };

    enum class answers {
        with_all,  // when each node has answered or is too slow: so that a bare majority is noticed
        with_majority,  // as soon as each lock is decided
    };

    struct effects {
        std::vector<outgoing> sends{};
        std::optional<std::vector<hold_reply>> answer{};  // one for each lock
    };

    // `all` and what the locks point to must outlive it. The caller wants an answer by `until`. A vote that a node has
    // lost is not restored after that time. `what.held_until` of a lock is the deadline of its hold, if it is valid. The
    // lease that is sent reaches it.
    renewal_machine(const nodes& all, std::vector<lock> locks, answers when, base::boot_time until,
                    base::boot_time now);

    void on_restore(unsigned node, const restore_reply& got, base::boot_time now);
    void on_time(base::boot_time now);

    [[nodiscard]] effects take_effects() { return std::exchange(effects_, {}); }
    [[nodiscard]] base::boot_time wake() const noexcept;
    [[nodiscard]] bool is_over() const noexcept { return over_; }
    [[nodiscard]] base::boot_time sent() const noexcept { return sent_; }
    [[nodiscard]] const std::vector<lock>& locks() const noexcept { return locks_; }

private:
    [[nodiscard]] std::optional<hold_reply> verdict(std::size_t which, bool is_last) const;
    void settle(base::boot_time now);

    const nodes* nodes_;
    std::vector<lock> locks_;
    answers when_;
    base::boot_time sent_;
    base::boot_time until_;
    base::boot_time limit_;  // slow nodes are not waited for after that
    bool past_limit_ = false;
    std::vector<std::optional<restore_reply>> replies_;  // of each node
    bool over_ = false;
    effects effects_;
};

}  // namespace pawl::core::quorum
