#include "sim/members_state.h"

#include "sim/checker_words.h"
#include "sim/plan.h"
#include "store/redis/keys.h"
#include "store/redis/message.h"

#include <algorithm>
#include <charconv>

namespace pawl::sim {
namespace {

using std::chrono::milliseconds;

milliseconds end_in(std::string_view place)
{
    const auto digits = place.substr(0, 13);
    std::int64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return milliseconds{number};
}

template <class T>
const T* find(const std::vector<T>& all, std::string_view holder)
{
    const auto found = std::ranges::find(all, holder.substr(0, id_digits), &T::holder);
    return found == all.end() ? nullptr : &*found;
}

}  // namespace

members_state::members_state(server& where, std::string_view name, std::uint64_t capacity)
    : capacity_{capacity}
{
    const auto now = std::chrono::floor<milliseconds>(where.clock());
    auto stored = where.members_of(name);
    out_ = stored.out;
    capacity_ = stored.capacity.value_or(capacity);
    last_resize_ = stored.resize;
    for (auto& each : stored.all) {
        weight_stored_ += each.weight;
        if (each.ends <= now) continue;
        weight_in_ += each.weight;
        in_.push_back(std::move(each));
    }
    // parts/place.lua describes a place.
    for (const auto& [holder, place] : where.waiters_in(store::queue_key(name))) {
        const auto channel = store::channel_of(std::string_view{place}.substr(14, 16));
        queue_.push_back({.holder = holder.substr(0, id_digits),
                          .weight = weight_in(holder),
                          .reads = place[13] == 's',
                          .can_enter = now <= end_in(place) && where.has_listener(channel)});
    }
}

const server::member* members_state::member(std::string_view holder) const
{
    return find(in_, holder);
}

const members_state::waiter* members_state::place(std::string_view holder) const
{
    return find(queue_, holder);
}

const members_state::waiter* members_state::first(std::string_view asking) const
{
    const auto found = std::ranges::find_if(queue_, [&](const waiter& each) {
        return each.can_enter || asking.starts_with(each.holder);
    });
    return found == queue_.end() ? nullptr : &*found;
}

std::string members_state::describe() const
{
    std::string text = "out " + std::to_string(out_);
    if (capacity_ != writer_weight) text += " of " + std::to_string(capacity_);
    text += ", in";
    for (const auto& each : in_)
        text += ' ' + short_id(each.holder) + '/' + std::to_string(each.weight);
    text += ", in the queue";
    for (const auto& each : queue_) {
        text += ' ' + short_id(each.holder) + '/' + std::to_string(each.weight);
        if (!each.can_enter) text += " (gone)";
    }
    return text;
}

}  // namespace pawl::sim
