// What a quorum_store learns of a node from each answer.
#include "store/quorum/quorum_store.h"

#include "store/quorum/node.h"

#include <optional>
#include <variant>

namespace pawl::store {
namespace {

// The node's time in an answer, if it has one.
std::optional<core::node_time> time_in(const core::restore_reply& got)
{
    return got.now;
}

// Not an answer of a node.
std::optional<core::node_time> time_in(const core::renew_request::reply& /*got*/)
{
    return std::nullopt;
}

template <class... Outcomes>
std::optional<core::node_time> time_in(const std::variant<Outcomes...>& got)
{
    return std::visit(
        [](const auto& each) -> std::optional<core::node_time> {
            if constexpr (requires { each.now; }) {
                return each.now;
            } else {
                return std::nullopt;
            }
        },
        got);
}

const core::failure* failure_of(const core::reply& got)
{
    const auto* const restores = std::get_if<core::restore_reply>(&got);
    if (restores == nullptr) return core::failure_in(got);
    // If the node did not answer at all, each lock has the same failure.
    return restores->now ? nullptr : std::get_if<core::failure>(&restores->all.front());
}

}  // namespace

void quorum_store::note(unsigned index, base::boot_time sent, const core::reply& got,
                        base::boot_time now)
{
    if (const auto* const problem = failure_of(got)) {
        if (core::is_silence(problem->what)) nodes_.failed(index, *problem);
    } else if (const auto time = std::visit([](const auto& each) { return time_in(each); }, got)) {
        nodes_.answered(index, *time, sent, now);
        nodes_.compare_clock(
            index, *time, sent, now,
            std::chrono::duration_cast<core::node_time>(platform_->wall_time().time_since_epoch()));
    } else {
        nodes_.answered_without_time(index, sent, now);
    }
    if (const auto* const vote = std::get_if<core::vote_reply>(&got)) {
        if (const auto* const place = std::get_if<core::waits>(vote)) {
            const bool is_new = place->why == core::waits::reason::quarantine;
            nodes_.quarantined(index, is_new ? place->left : std::chrono::milliseconds{0}, now);
        } else if (const auto* const cast = std::get_if<core::voted>(vote)) {
            nodes_.quarantined(index, {}, now);
            nodes_.seen(cast->number);
        }
    }
}

}  // namespace pawl::store
