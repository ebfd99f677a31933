// One holder id of this client, from its first request until nothing of it is left at any node.
#pragma once

#include "base/clock.h"
#include "base/random.h"
#include "base/scheduler.h"
#include "core/object.h"
#include "core/quorum/claim.h"
#include "core/quorum/nodes.h"
#include "core/quorum/returning.h"
#include "core/request.h"
#include "store/redis/vote_verbs.h"
#include "store/store.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace pawl::store {

struct holder {
    holder(const core::claim& mine, unsigned nodes)
        : what{*mine.what}, id{mine.holder}, written{written_for_nodes({&what, id})}, past(nodes)
    {
    }
    ~holder() = default;
    holder(const holder&) = delete;
    holder& operator=(const holder&) = delete;

    [[nodiscard]] core::claim name() const noexcept { return {&what, id, written}; }

    // When one of the machines has work.
    [[nodiscard]] base::boot_time wake() const noexcept
    {
        auto when = base::boot_time::max();
        if (claim) when = std::min(when, claim->wake());
        if (claim && claim->held()) when = std::min(when, forgotten_at());
        if (returning) when = std::min(when, returning->wake());
        return when;
    }

    // A hold is not valid after its deadline. Its user may never release it, so it is returned some time later.
    [[nodiscard]] base::boot_time forgotten_at() const noexcept
    {
        return claim->held()->deadline + longest;
    }

    // Of each node: an earlier claim of this holder may still be given back there. That would take a vote away which
    // was cast since, so no vote there counts.
    [[nodiscard]] std::vector<bool> avoided(base::boot_time now) const
    {
        std::vector<bool> all(past.size());
        for (unsigned i = 0; returning && i < all.size(); ++i) all[i] = !returning->is_over(i, now);
        return all;
    }

    // These, and the nodes where a hand-back of the vote may yet be executed. A renewal gives such a vote another number,
    // which the hand-back does not name. A question does not, so the vote does not count in it.
    [[nodiscard]] std::vector<bool> unsure(base::boot_time now) const
    {
        auto all = avoided(now);
        for (unsigned i = 0; claim && i < all.size(); ++i) {
            if (claim->at(i).number_at_risk() != 0) all[i] = true;
        }
        return all;
    }

    // The plan for a return to all nodes. `last` is the release of the caller, if there is one.
    [[nodiscard]] core::quorum::return_machine::plan parting(const core::release_request* last,
                                                             unsigned nodes,
                                                             base::boot_time now) const;

    core::object what;
    std::string id;
    std::string written;
    std::string client;

    std::optional<core::quorum::claim_machine> claim;
    std::optional<core::quorum::return_machine> returning;
    store::reply_handler acquired;  // gets the answer of the claim
    store::reply_handler released;  // gets the answer of the return
    // What was sent to one node, and may yet take effect there.
    struct at_node {
        base::boot_time
            asked_late{};  // a vote request of an earlier claim may be executed until then
        // A restore was sent, which may have taken the vote again. When the last one that is under way was sent, and until
        // when one under way, or one that had no answer, may do so.
        bool restored = false;
        base::boot_time restoring{};
        base::boot_time restoring_until{};
        base::boot_time restored_late{};
    };
    std::vector<at_node> past;
    std::string
        announcement;  // of its release. Not changed once it is written: requests refer to it
    std::chrono::milliseconds longest{};  // the longest lease that was asked for

    std::optional<base::scheduler::timer> timer;
};

}  // namespace pawl::store
