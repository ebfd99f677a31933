#include "round.h"

#include "crew.h"

namespace pawl::bench {
namespace {

durations of_all_seats(const crew& workers, histogram seat::* which)
{
    histogram all{};
    for (std::size_t i = 0; i < workers.seats(); ++i) all.add(workers.results().seats[i].*which);
    if (all.count() == 0) return {};
    return {.p50_us = in_us(all.quantile(0.5)),
            .p99_us = in_us(all.quantile(0.99)),
            .max_us = in_us(all.max())};
}

}  // namespace

sent_by_clients round::listen(std::chrono::milliseconds how_long)
{
    server_.flush();
    crew workers{what_, kind_, url_};
    workers.go();
    sent_by_clients sent = server_.listen(how_long);
    workers.stop();
    return sent;
}

round_result round::measure(std::chrono::milliseconds how_long, const sent_by_clients& sent)
{
    using clock = std::chrono::steady_clock;
    server_.flush();
    crew workers{what_, kind_, url_};
    server_.reset();

    const double cpu_before = workers.cpu_us();
    const auto began = clock::now();
    workers.go();
    workers.run_until(began + how_long);

    // Read while they still run, so that the time of their end is not counted.
    round_result result;
    result.hand_offs = 0;
    for (std::size_t i = 0; i < workers.seats(); ++i) {
        result.grants.push_back(workers.results().seats[i].grants.load());
        result.hand_offs += static_cast<double>(workers.results().seats[i].hand_offs.load());
    }
    result.seconds = std::chrono::duration<double>(clock::now() - began).count();
    result.client_cpu_us = workers.cpu_us() - cpu_before;
    result.load = server_.load(sent);
    workers.stop();

    result.wait = of_all_seats(workers, &seat::wait);
    result.cycle = of_all_seats(workers, &seat::cycle);
    result.hand_off = of_all_seats(workers, &seat::hand_off);
    result.round_trip = of_all_seats(workers, &seat::round_trip);
    return result;
}

}  // namespace pawl::bench
