#include "farm.h"

#include "nodes.h"

#include <algorithm>

namespace pawl::bench {

farm::farm(const std::vector<const workload*>& workloads)
{
    unsigned needed = 1;
    for (const workload* each : workloads) needed = std::max(needed, each->nodes);
    while (servers_.size() < needed) servers_.push_back(std::make_unique<test::redis_server>());
}

arena farm::arena_for(const workload& what, const std::string& over) const
{
    arena where{.over = over};
    for (unsigned i = 0; i < what.nodes; ++i) {
        const test::redis_server& each = *servers_.at(i);
        where.nodes.push_back(over == "tcp" ? each.url() : each.unix_url());
        where.ports += (i == 0 ? "" : ",") + std::to_string(each.port());
    }
    where.url = url_of(where.nodes);
    return where;
}

}  // namespace pawl::bench
