// The machine that returns all votes and places of one holder: the lock is released, a waiter gives up, or a try has
// failed. Every node that may have something of the holder is told, always.
//
//   start ──▶ return to all ──q answers──▶ answered
//                 └──no answer──▶ again after a pause, in the background, until the lease has ended there by itself
//
// A vote request without an answer may arrive after the return. A node with such a request is told once more when
// the request cannot be executed any more.
#pragma once

#include "base/clock.h"
#include "core/quorum/nodes.h"
#include "core/quorum/outgoing.h"
#include "core/request.h"
#include "core/vote.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace pawl::core::quorum {

class return_machine {
public:
    // What a node may have.
    struct part {
        bool there = false;        // a vote or a place, perhaps
        std::uint64_t used = 0;    // the last fence, if the node's number is known
        bool has_reserve = false;  // numbers above it are set aside
        base::boot_time
            late_until{};  // a vote request without an answer may be executed until then
        // The last vote request is under way: when it was sent, and until when it may be executed.
        std::optional<base::boot_time> asked{};
        base::boot_time asked_until{};
        base::boot_time maybe_until{};  // an earlier return may be executed until then
    };
    struct plan {
        std::vector<part> parts;
        std::string_view announcement{};
        std::chrono::milliseconds lease{};  // after that time it has ended by itself
    };

    struct effects {
        std::vector<outgoing> sends{};
        std::optional<hold_reply> answer{};  // to the last ask()
    };

    // `all`, and what `name` and `what` point to, must outlive it.
    return_machine(const nodes& all, claim name, plan what, base::boot_time now);

    // A caller wants an answer by then.
    void ask(base::boot_time until, base::boot_time now);

    // Something of the holder may have come to the nodes since the last return.
    void send_again(base::boot_time now);

    void on_return(unsigned node, const return_request& asked, const hold_reply& got,
                   base::boot_time now);

    // A vote request of this holder was answered. If it was the last one, none is on its way any more, except those that
    // had no answer.
    void on_vote(unsigned node, base::boot_time sent)
    {
        auto& what = states_[node].what;
        if (what.asked == sent) what.asked_until = {};
    }

    void on_time(base::boot_time now);

    [[nodiscard]] effects take_effects() { return std::exchange(effects_, {}); }
    [[nodiscard]] base::boot_time wake() const noexcept;

    // A return was sent to a node that may have something, and is neither answered nor given up.
    [[nodiscard]] bool is_under_way() const;

    // Nothing is left to do, and nobody waits.
    [[nodiscard]] bool is_over(base::boot_time now) const;

    // Whether the node may be asked for a vote for the same holder again. It must not while a return may yet be
    // executed there, which would take that vote away.
    [[nodiscard]] bool is_clean(unsigned node, base::boot_time now) const;
    [[nodiscard]] base::boot_time maybe_until(unsigned node) const;

    // Whether nothing more is sent to the node, and nothing that was sent may yet be executed there.
    [[nodiscard]] bool is_over(unsigned node, base::boot_time now) const
    {
        return states_[node].is_over(now);
    }

    // A new claim asks the node, and will return what it gets: nothing more is sent there.
    void leave_out(unsigned node) { states_[node].again_at = base::boot_time::max(); }
    // A vote request of the old claim may be executed until then.
    [[nodiscard]] base::boot_time late_until(unsigned node) const
    {
        const auto& what = states_[node].what;
        return std::max(what.late_until, what.asked_until);
    }

private:
    struct state {
        part what;
        std::optional<base::boot_time> under_way{};  // when the last return was sent
        std::optional<hold_status> got{};
        std::optional<failure> problem{};
        base::boot_time again_at = base::boot_time::max();

        [[nodiscard]] bool is_over(base::boot_time now) const noexcept
        {
            return !under_way && again_at == base::boot_time::max() && now >= what.maybe_until;
        }
    };

    void send(unsigned node, std::uint64_t proposal, base::boot_time now);
    void settle(base::boot_time now);
    [[nodiscard]] failure no_answer() const;
    [[nodiscard]] std::chrono::milliseconds next_pause() noexcept;

    const nodes* nodes_;
    claim name_;
    std::string_view announcement_;
    std::vector<state> states_;
    base::boot_time end_;
    std::optional<base::boot_time> answer_by_;
    base::boot_time limit_{};  // slow nodes are not waited for after that
    bool past_limit_ = false;
    std::chrono::milliseconds pause_;
    effects effects_;
};

}  // namespace pawl::core::quorum
