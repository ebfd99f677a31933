#include "observe/client_counters.h"

namespace pawl::observe {

request_metrics request_counters::read() const
{
    return {.sent = sent.get(), .failed = failed.get(), .round_trip = observe::read(round_trip)};
}

connection_metrics traffic::read() const
{
    // Those that have ended first: a connection that opens and ends meanwhile is not counted as
    // ended only.
    const auto over = ended.get();
    return {.opened = opened.get(),
            .ended = over,
            .failed = failed.get(),
            .reconnects = reconnects.get(),
            .bytes_sent = bytes_sent.get(),
            .bytes_received = bytes_received.get()};
}

client_counters::client_counters(const std::vector<std::string>& measured)
{
    for (const auto& name : measured)
        measured_.try_emplace(name, std::make_unique<lock_counters>());
}

lock_counters* client_counters::of(std::string_view lock) const noexcept
{
    const auto found = measured_.find(lock);
    return found != measured_.end() ? found->second.get() : nullptr;
}

metrics client_counters::read() const
{
    metrics got;
    got.all = all.read();
    for (const auto& [name, each] : measured_) got.locks.emplace(name, each->read());
    got.requests = requests.read();
    got.connections = connections.read();
    return got;
}

}  // namespace pawl::observe
