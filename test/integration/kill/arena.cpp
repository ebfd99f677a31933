#include "integration/kill/arena.h"

#include <algorithm>

namespace pawl::test::kill {

std::vector<std::uint64_t> held_parts(const arena& all)
{
    // Claims change while they are read. If a second look finds the same claims, all of them were
    // in force at the moment between the two looks.
    struct seen {
        const claim* of;
        std::int64_t until_ns;
        std::uint64_t part;
    };
    std::vector<seen> first;
    const auto unchanged = [](const seen& one) { return one.of->until_ns == one.until_ns; };
    do {
        first.clear();
        for (const claim& one : all.claims) {
            if (const auto until_ns = one.until_ns.load(); until_ns != 0) {
                first.push_back({.of = &one, .until_ns = until_ns, .part = one.part});
            }
        }
    } while (!std::ranges::all_of(first, unchanged));

    std::vector<std::uint64_t> parts;
    for (const auto now = now_ns(); const seen& one : first) {
        if (one.until_ns > now) parts.push_back(one.part);
    }
    return parts;
}

bool holds_anything(const arena& all, std::size_t first, std::size_t count)
{
    return std::any_of(all.claims.begin() + first, all.claims.begin() + first + count,
                       [now = now_ns()](const claim& one) { return one.until_ns > now; });
}

std::string no_bit_twice(const std::vector<std::uint64_t>& parts)
{
    std::uint64_t together = 0;
    for (const std::uint64_t part : parts) {
        if ((together & part) != 0) return "two had the same at the same time";
        together |= part;
    }
    return {};
}

}  // namespace pawl::test::kill
