#include "core/quorum/node_clock.h"

#include <algorithm>

namespace pawl::core::quorum {
namespace {

using std::chrono::microseconds;

// How much two answers may disagree: the drift of a clock that is slewed, and a pause of a process.
constexpr microseconds slack{50'000};

constexpr microseconds hundredth(microseconds of)
{
    return of / 100;
}

}  // namespace

bool node_clock::heard(node_time then, base::boot_time sent, base::boot_time now)
{
    const answer next{then, sent, now};
    const bool good = !last_ || fits(next);
    // An answer that was on its way for longer than the one before says less.
    if (!last_ || !good || sent >= last_->sent) last_ = next;
    return good;
}

// Between the two answers, the node's clock went on by at least the time from the receipt of the first to the
// sending of the second, and by at most the time from the sending of the first to the receipt of the second.
bool node_clock::fits(const answer& next) const
{
    const auto went = next.then - last_->then;
    const auto most = std::chrono::ceil<microseconds>(next.received - last_->sent);
    const auto least = std::chrono::floor<microseconds>(next.sent - last_->received);
    const auto upper = most + hundredth(std::max(most, microseconds{0})) + slack;
    const auto lower = least - hundredth(std::max(least, microseconds{0})) - slack;
    return lower <= went && went <= upper;
}

std::optional<node_time> node_clock::at(base::boot_time when) const
{
    if (!last_) return std::nullopt;
    const auto since = std::max(when - last_->sent, base::boot_clock::duration{0});
    return last_->then + std::chrono::ceil<microseconds>(since);
}

}  // namespace pawl::core::quorum
