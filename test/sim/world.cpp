#include "sim/world.h"

#include <algorithm>
#include <utility>

namespace pawl::sim {

void world::at(nanoseconds when, action what)
{
    queue_.push_back({std::max(when, now_), ++planned_, std::move(what)});
    std::ranges::push_heap(queue_, later);
}

bool world::step()
{
    if (queue_.empty()) return false;
    std::ranges::pop_heap(queue_, later);
    auto next = std::move(queue_.back());
    queue_.pop_back();
    now_ = next.when;
    ++steps_;
    next.what();
    return true;
}

}  // namespace pawl::sim
