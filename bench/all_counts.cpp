#include "all_counts.h"

namespace pawl::bench {

all_counts::all_counts(const std::vector<std::string>& urls)
{
    for (const std::string& each : urls) servers_.push_back(std::make_unique<server_counts>(each));
}

void all_counts::flush()
{
    for (const auto& each : servers_) {
        each->flush();
        if (servers_.size() > 1) each->end_quarantine();
    }
}

sent_by_clients all_counts::listen(std::chrono::milliseconds how_long) const
{
    return servers_.front()->listen(how_long);
}

sent_by_clients all_counts::listen(const std::function<bool()>& over) const
{
    return servers_.front()->listen(over);
}

void all_counts::reset()
{
    for (const auto& each : servers_) each->reset();
}

server_load all_counts::load(const sent_by_clients& sent)
{
    server_load sum;
    for (const auto& each : servers_) {
        const server_load its = each->load(sent);
        sum.commands += its.commands;
        sum.us += its.us;
        sum.replies += its.replies;
        sum.cpu_us += its.cpu_us;
    }
    return sum;
}

}  // namespace pawl::bench
