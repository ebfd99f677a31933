#include "sim/queue_model.h"

#include "store/redis/message.h"

#include <algorithm>

namespace pawl::sim {

using std::chrono::milliseconds;

void queue_model::look_at_clock(milliseconds now)
{
    if (now > expires_) waiting_.clear();
}

void queue_model::joined(std::string_view holder, std::string_view client, milliseconds until)
{
    expires_ = waiting_.empty() ? until : std::max(expires_, until);
    const auto found = std::ranges::find(waiting_, holder, &place::holder);
    if (found != waiting_.end()) {
        found->until = std::max(found->until, until);
    } else {
        waiting_.push_back({std::string{holder}, store::channel_of(client), until});
    }
}

void queue_model::left(std::string_view holder)
{
    std::erase_if(waiting_, [&](const place& each) { return each.holder == holder; });
}

bool queue_model::can_be_reached(const place& who, milliseconds now, server& where)
{
    return now <= who.until && where.has_listener(who.channel);
}

std::optional<std::string> queue_model::passes(std::optional<std::string_view> to, milliseconds now,
                                               server& where)
{
    std::optional<std::string> wronged;
    while (!waiting_.empty() && waiting_.front().holder != to) {
        const auto& skipped = waiting_.front();
        if (can_be_reached(skipped, now, where)) wronged = skipped.holder;
        waiting_.erase(waiting_.begin());
    }
    if (!waiting_.empty()) waiting_.erase(waiting_.begin());
    return wronged;
}

std::optional<std::string> queue_model::first(milliseconds now, server& where) const
{
    for (const auto& each : waiting_) {
        if (can_be_reached(each, now, where)) return each.holder;
    }
    return std::nullopt;
}

}  // namespace pawl::sim
