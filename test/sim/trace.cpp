#include "sim/trace.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace pawl::sim {

std::string trace::text(std::optional<std::size_t> lock, std::size_t most) const
{
    std::vector<const line*> chosen;
    for (auto it = lines_.rbegin(); it != lines_.rend() && chosen.size() < most; ++it) {
        if (!lock || !it->lock || *it->lock == *lock) chosen.push_back(&*it);
    }
    std::string out;
    for (auto it = chosen.rbegin(); it != chosen.rend(); ++it) {
        std::array<char, 32> time{};
        std::snprintf(time.data(), time.size(), "%14.6f s  ",
                      static_cast<double>((*it)->when.count()) / 1e9);
        out += time.data() + (*it)->text + '\n';
    }
    return out;
}

}  // namespace pawl::sim
