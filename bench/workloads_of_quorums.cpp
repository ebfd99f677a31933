// The workloads of locks over a majority of servers.
#include "targets.h"
#include "workload.h"

namespace pawl::bench {
namespace {

// Redisson has a second lock over several servers, which needs all of them.
std::vector<std::string_view> of_free_locks()
{
    return {"", "-all"};
}

workload one_caller(std::string_view word, std::string_view title, unsigned nodes)
{
    return {.word = word,
            .title = title,
            .what = pattern::free_locks,
            .nodes = nodes,
            .over_both = true,
            .entries = {{contender::mutex, "pawl::mutex"},
                        {contender::raw_same, "raw majority, same commands"},
                        {contender::raw_least, "raw majority, the least"}},
            .references = {contender::raw_same, contender::raw_least},
            .metrics = {metric::grants_per_second, metric::cycle_p50, metric::cycle_p99,
                        metric::commands_per_grant, metric::server_us_per_grant,
                        metric::server_cpu_us_per_grant, metric::client_cpu_us_per_grant},
            .targets = {at_least_times(0.9, contender::mutex, metric::grants_per_second,
                                       contender::raw_same),
                        at_least_times_best_peer(1, contender::mutex, metric::grants_per_second)},
            .peer_word = "w8-free",
            .peer_variants = of_free_locks()};
}

workload in_flight()
{
    workload what = one_caller(
        "w8-flight", "W8: five servers, 64 cycles in flight, free locks, another one each time", 5);
    what.what = pattern::in_flight;
    what.in_flight = 64;
    what.entries[0].title = "pawl::async";
    what.peer_word = "w8-flight";
    return what;
}

workload contended(std::string_view word, std::string_view title, unsigned nodes)
{
    return {.word = word,
            .title = title,
            .processes = 8,
            .nodes = nodes,
            .entries = {{contender::mutex, "pawl::mutex"},
                        {contender::fair_mutex, "pawl::fair_mutex"},
                        {contender::raw_retry, "raw retry"}},
            .references = {contender::raw_retry},
            .metrics = {metric::grants_per_second, metric::hand_offs_per_second,
                        metric::commands_per_grant, metric::fairness, metric::wait_p50,
                        metric::wait_p99, metric::wait_max, metric::hand_off_p50,
                        metric::server_us_per_grant},
            .targets = {at_least_times_best_peer(2, contender::mutex, metric::grants_per_second)},
            .peer_word = "w8-contended",
            .peer_variants = {"", "-tuned", "-all"}};
}

}  // namespace

std::vector<workload> of_quorums()
{
    return {
        one_caller("w8-free-3", "W8: three servers, one thread, free locks, another one each time",
                   3),
        one_caller("w8-free-5", "W8: five servers, one thread, free locks, another one each time",
                   5),
        in_flight(),
        contended("w8-contended-3", "W8: three servers, eight processes on one lock, greedy", 3),
        contended("w8-contended-5", "W8: five servers, eight processes on one lock, greedy", 5)};
}

}  // namespace pawl::bench
