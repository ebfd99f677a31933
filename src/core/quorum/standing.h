// What one holder knows of its vote at one node.
//
//   unknown ──▶ away            the node has nothing for this holder
//      │  └───▶ placed ──▶ cast a place in its queue, and then its vote
//      └──────▶ cast
//
// A vote that was handed back may come back later with a greater number, but never with the same one. So a number
// that was offered to others is spent, and a delayed message about it counts for nothing.
#pragma once

#include "base/clock.h"
#include "core/deadline.h"
#include "core/vote.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace pawl::core::quorum {

struct standing {
    enum class kind { unknown, away, placed, cast };
    kind what = kind::unknown;

    // cast
    std::uint64_t number = 0;
    base::boot_time at{};             // the lease counts from then
    base::boot_time heard{};          // when this client heard of it
    bool offered = false;             // a hand-back of it is under way
    bool doubtful = false;            // a raise had no answer, so the node may have another number
    base::boot_time renewed_until{};  // the deadline of the vote, from its last renewal

    // away, placed
    waits::reason why{};
    std::chrono::milliseconds left{-1};

    std::uint64_t spent = 0;  // votes with this number or a smaller one do not count
    bool renumber = false;    // the next vote must have a new number

    // Requests under way. `asked` is the time at which the last vote request was sent. One of them may be executed until
    // `asked_until`.
    std::optional<base::boot_time> asked{};
    base::boot_time asked_until{};
    std::uint64_t raising_to = 0;

    bool was_asked = false;        // ever
    base::boot_time late_until{};  // a vote request that had no answer may be executed until then
    std::optional<failure> problem{};

    [[nodiscard]] bool is_cast() const noexcept { return what == kind::cast; }

    // Whether the node surely has the vote at `now`, and with this number.
    [[nodiscard]] bool is_in_force(std::chrono::milliseconds lease, double drift,
                                   base::boot_time now) const noexcept
    {
        return is_cast() && !offered && !doubtful && number > spent &&
               now < local_deadline(at, lease, drift);
    }

    // Until when the node surely has the vote. boot_time{} if it has none.
    [[nodiscard]] base::boot_time lasts_until(std::chrono::milliseconds lease,
                                              double drift) const noexcept
    {
        if (!is_cast() || offered || number <= spent) return {};
        return std::max(renewed_until, local_deadline(at, lease, drift));
    }

    // The number of a vote that a hand-back without an answer may yet take away. 0 if there is none.
    [[nodiscard]] std::uint64_t number_at_risk() const noexcept
    {
        return std::max(offered ? number : 0, renumber ? spent : 0);
    }

    // Whether the node may have a vote or a place for this holder, now or later.
    [[nodiscard]] bool may_be_there() const noexcept
    {
        return was_asked && (what != kind::away || asked);
    }

    void cast(std::uint64_t with, base::boot_time since, base::boot_time now) noexcept
    {
        // The hand-back that is under way is about this very vote.
        const bool same = is_cast() && number == with;
        offered = offered && same;
        what = kind::cast;
        at = same ? std::max(at, since) : since;
        if (!same) renewed_until = {};
        number = with;
        heard = now;
        doubtful = false;
        problem.reset();
    }

    void spend(std::uint64_t given) noexcept { spent = std::max(spent, given); }
};

}  // namespace pawl::core::quorum
