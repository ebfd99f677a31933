// The machine that gets the votes of a majority for one holder, and knows what the holder has at each node from the
// first request until the votes are returned.
//
//   ask ──▶ vote to all ──q equal numbers──────────────▶ established
//              │ ├──q votes, unequal──▶ raise ──q equal──▶ established
//              │ └──no majority; the caller does not wait──▶ ends: the votes are returned
//              └──no majority; the caller waits──▶ busy
//                    ├──messages of the nodes: their votes──▶ established, by raise if need be
//                    └──some votes, but no majority for a while──▶ hand them back, by number ──▶ busy
//
// q is the majority. A hold has one number, its fence, on q nodes. Two holds share a node, and that node gave the
// later one a greater number: so fences grow. docs/decisions/ has the proof.
//
// The lease of a hold is that of the q-th best vote: until then, q nodes have it.
#pragma once

#include "base/clock.h"
#include "base/random.h"
#include "core/notice.h"
#include "core/quorum/nodes.h"
#include "core/quorum/outgoing.h"
#include "core/quorum/standing.h"
#include "core/quorum/too_few.h"
#include "core/request.h"
#include "core/vote.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pawl::core::quorum {

// A message of a node: it has voted for this holder.
struct vote_notice {
    unsigned node{};
    std::uint64_t number{};
    base::boot_time at{};  // as in grant_notice
};

class claim_machine {
public:
    // What follows from an event. The caller does it before the next one.
    struct effects {
        std::vector<outgoing> sends{};
        std::optional<acquire_reply> answer{};  // to the last ask()
        std::optional<grant_notice> granted{};  // nobody waits for an answer: tell the waiter
        bool ends = false;  // the votes must be returned; the machine is not used any more
    };

    // All of them must outlive the machine. `name` is the holder and what it claims.
    claim_machine(const nodes& all, claim name, const base::random_unit& random);

    // The caller wants an answer by request.until. Nodes in `avoided` are not asked: an earlier claim of this
    // holder may still be given back there.
    void ask(const acquire_request& request, const std::vector<bool>& avoided, base::boot_time now);

    void on_vote(unsigned node, const vote_request& asked, const vote_reply& got,
                 base::boot_time now);
    void on_raise(unsigned node, const raise_request& asked, const raise_reply& got,
                  base::boot_time now);
    void on_hand_back(unsigned node, const hand_back_request& asked, const hand_back_reply& got,
                      base::boot_time now);
    void on_notice(const vote_notice& got, base::boot_time now);

    // Messages of the node arrive again. Some may have been missed.
    void on_listening(unsigned node, base::boot_time now);

    void on_time(base::boot_time now);

    [[nodiscard]] effects take_effects() { return std::exchange(effects_, {}); }

    // When on_time() has work; boot_time::max() if never.
    [[nodiscard]] base::boot_time wake() const noexcept;

    // ── The hold ────────────────────────────────────────────────────────────────────────────────

    struct hold {
        std::uint64_t fence{};
        base::boot_time at{};        // its lease counts from then
        base::boot_time deadline{};  // q nodes have it until then
    };
    [[nodiscard]] const std::optional<hold>& held() const noexcept { return hold_; }

    // A majority has renewed it, by a request that was sent at `sent`.
    void renewed(std::chrono::milliseconds lease, base::boot_time sent);
    // The node has renewed its vote, or has voted again, by a request that was sent then, with this lease; or it has no
    // vote for this holder.
    void vote_renewed(unsigned node, std::chrono::milliseconds lease, base::boot_time sent);
    void vote_gone(unsigned node) noexcept;
    // Until when the node surely has the vote. boot_time{} if it has none.
    [[nodiscard]] base::boot_time vote_until(unsigned node) const;
    // The number is now at least this on a majority, and as many more are set aside.
    void keeps(std::uint64_t number, unsigned reserve);

    [[nodiscard]] const standing& at(unsigned node) const { return standings_[node]; }
    [[nodiscard]] unsigned reserve() const noexcept { return request_.reserve; }

private:
    void send_vote(unsigned node, base::boot_time until, std::uint64_t proposal,
                   base::boot_time now);
    void ask_again(unsigned node, base::boot_time now);
    [[nodiscard]] bool is_restorable(const standing& mine, const core::waits& got) const;
    void settle(base::boot_time now);
    [[nodiscard]] std::vector<unsigned> counted(base::boot_time now) const;
    [[nodiscard]] std::optional<std::uint64_t> agreed(const std::vector<unsigned>& votes) const;
    [[nodiscard]] std::uint64_t greatest(const std::vector<unsigned>& votes) const;
    void raise(const std::vector<unsigned>& votes, base::boot_time now);
    void establish(std::uint64_t number, const std::vector<unsigned>& votes, base::boot_time now);
    [[nodiscard]] base::boot_time nth_best(std::uint64_t number,
                                           const std::vector<unsigned>& votes) const;
    void confirm(base::boot_time now);
    void answer(acquire_reply what);
    void decide(base::boot_time now);
    void conclude(std::optional<busy> others, base::boot_time now);
    // How many nodes can vote; have something for this holder; have a holder of another library, or no holder.
    struct counts {
        unsigned able = 0;
        unsigned present = 0;
        unsigned foreign = 0;
        unsigned no_lock = 0;
    };
    [[nodiscard]] counts census(base::boot_time now) const;
    [[nodiscard]] std::optional<busy> others_hold(const counts& seen, base::boot_time now) const;
    [[nodiscard]] std::vector<node_problem> problems(base::boot_time now) const;
    [[nodiscard]] failure too_few(base::boot_time now) const;
    [[nodiscard]] std::string missing(base::boot_time now) const;
    [[nodiscard]] std::chrono::milliseconds left_of_others() const;
    void plan_hand_back(base::boot_time now);
    void hand_back(base::boot_time now);
    [[nodiscard]] std::chrono::milliseconds wait_left(base::boot_time now) const;
    [[nodiscard]] std::chrono::nanoseconds first_pause() const;
    [[nodiscard]] bool waits() const noexcept { return request_.wait.has_value(); }

    const nodes* nodes_;
    claim name_;
    const base::random_unit* random_;
    std::vector<standing> standings_;
    std::vector<bool> avoided_;

    acquire_request request_{};  // the last one
    bool asking_ = false;        // it has no answer yet
    base::boot_time limit_{};    // slow nodes are not waited for after that
    bool past_limit_ = false;
    base::boot_time grace_ =
        base::boot_time::max();  // it is decided, but waits for the last answers
    // Answers to requests from before that time belong to an earlier claim of the same holder.
    base::boot_time begun_{};
    std::optional<ticket> ticket_;
    std::uint64_t target_ = 0;  // of the raise that is under way
    std::optional<hold> hold_;

    std::optional<std::chrono::nanoseconds> pause_;  // before votes are handed back; it grows
    base::boot_time hand_back_at_ = base::boot_time::max();
    effects effects_;
};

}  // namespace pawl::core::quorum
