#include "workload.h"

#include "targets.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace pawl::bench {
namespace {

using namespace std::chrono_literals;

// ── Free locks ──────────────────────────────────────────────────────────────────────────────────

std::vector<metric> of_free_locks()
{
    return {metric::grants_per_second,
            metric::cycle_p50,
            metric::cycle_p99,
            metric::commands_per_grant,
            metric::server_us_per_grant,
            metric::server_cpu_us_per_grant,
            metric::client_cpu_us_per_grant};
}

workload on_free_locks()
{
    return {.word = "w1",
            .title = "W1: one thread, free locks, another one each time",
            .what = pattern::free_locks,
            .over_both = true,
            .entries = {{contender::mutex, "pawl::mutex"},
                        {contender::raw_same, "raw, same commands"},
                        {contender::raw_least, "raw, the least"}},
            .references = {contender::raw_same, contender::raw_least},
            .metrics = of_free_locks(),
            .targets = {at_least_times(0.9, contender::mutex, metric::grants_per_second,
                                       contender::raw_same),
                        at_least_times_best_peer(1, contender::mutex, metric::grants_per_second)},
            .peer_word = "w1"};
}

workload one_caller()
{
    workload what = on_free_locks();
    what.entries.push_back({contender::mutex_made_anew, "pawl::mutex, new each time"});
    return what;
}

workload many_in_flight()
{
    workload what = on_free_locks();
    what.word = "w2";
    what.title = "W2: 256 cycles in flight, free locks, another one each time";
    what.what = pattern::in_flight;
    what.entries[0].title = "pawl::async";
    what.targets = {
        at_least_times(0.8, contender::mutex, metric::grants_per_second, contender::raw_same),
        at_least_times_best_peer(5, contender::mutex, metric::grants_per_second)};
    what.peer_word = "w2";
    return what;
}

workload sixteen_callers()
{
    workload what = on_free_locks();
    what.word = "w3";
    what.title = "W3: sixteen threads, free locks, another one each time";
    what.threads = 16;
    what.entries[1].title = "16 raw, same commands";
    what.entries[2].title = "16 raw, the least";
    what.targets = {
        at_least_times(1, contender::mutex, metric::grants_per_second, contender::raw_same),
        at_least_times_best_peer(1, contender::mutex, metric::grants_per_second)};
    what.peer_word = "w3";
    return what;
}

// Peers that poll have a setting for a contended lock.
std::vector<std::string_view> untuned_and_tuned()
{
    return {"", "-tuned"};
}

// ── One lock between processes ──────────────────────────────────────────────────────────────────

std::vector<entry> between_processes()
{
    return {{contender::mutex, "pawl::mutex"},
            {contender::fair_mutex, "pawl::fair_mutex"},
            {contender::raw_publish, "raw publish"},
            {contender::raw_hand_off, "raw hand-off"}};
}

std::vector<contender> raw_ones()
{
    return {contender::raw_publish, contender::raw_hand_off};
}

workload ping_pong()
{
    return {
        .word = "w4-ping-pong",
        .title = "W4: two processes, ping-pong on one lock",
        .processes = 2,
        .over_both = true,
        .entries = between_processes(),
        .references = raw_ones(),
        .metrics = {metric::hand_offs_per_second, metric::grants_per_second, metric::hand_off_p50,
                    metric::hand_off_p99, metric::hand_off_max, metric::commands_per_grant,
                    metric::server_us_per_grant, metric::client_cpu_us_per_grant},
        .targets = {at_least_times(0.9, contender::mutex, metric::hand_offs_per_second,
                                   contender::raw_hand_off),
                    at_least_times(2, contender::mutex, metric::hand_offs_per_second,
                                   contender::raw_publish)},
        .peer_word = "w4",
        .peer_variants = untuned_and_tuned()};
}

// The other process asks when it sees that the lock has a new holder. That is long before the
// release, so each change is a hand-off to a waiter.
workload alternation()
{
    workload what = ping_pong();
    what.word = "w4-alternating";
    what.title = "W4: two processes in strict alternation, one waits while the other holds";
    what.hold = 500us;
    what.alternates = true;
    what.metrics = {metric::hand_off_p50,       metric::hand_off_p99,
                    metric::hand_off_max,       metric::hand_offs_per_second,
                    metric::commands_per_grant, metric::server_us_per_grant};
    what.targets = {};
    what.peer_word = {};
    return what;
}

workload eight_processes(std::string_view word, std::string_view title,
                         std::chrono::microseconds hold)
{
    return {.word = word,
            .title = title,
            .processes = 8,
            .hold = hold,
            .entries = between_processes(),
            .references = raw_ones(),
            .metrics = {metric::grants_per_second, metric::commands_per_grant, metric::fairness,
                        metric::wait_p50, metric::wait_p99, metric::wait_max, metric::hand_off_p50,
                        metric::server_us_per_grant},
            .targets = {at_most(2.2, contender::mutex, metric::commands_per_grant),
                        at_most(2.2, contender::fair_mutex, metric::commands_per_grant),
                        at_least(0.95, contender::fair_mutex, metric::fairness),
                        at_least_times_best_peer(2, contender::mutex, metric::grants_per_second)},
            .peer_word = word,
            .peer_variants = untuned_and_tuned()};
}

// ── Inside one process ──────────────────────────────────────────────────────────────────────────

workload sixteen_threads()
{
    return {.word = "w6",
            .title = "W6: sixteen threads of one process on one lock",
            .threads = 16,
            .timed = false,
            .entries = {{contender::mutex, "pawl::mutex"},
                        {contender::mutex_per_thread, "a client per thread"},
                        {contender::std_mutex, "std::mutex"}},
            .references = {contender::mutex_per_thread, contender::std_mutex},
            .metrics = {metric::grants_per_second, metric::fairness, metric::commands_per_grant,
                        metric::client_cpu_us_per_grant},
            .targets = {at_least(500'000, contender::mutex, metric::grants_per_second),
                        at_least_times_best_peer(50, contender::mutex, metric::grants_per_second)},
            .peer_word = "w6",
            .peer_variants = untuned_and_tuned()};
}

workload lingering()
{
    return {
        .word = "w7",
        .title = "W7: one thread, a lock that lingers",
        .timed = false,
        .entries = {{contender::mutex_lingering, "pawl::mutex, lingers"},
                    {contender::std_mutex, "std::mutex"}},
        .references = {contender::std_mutex},
        .metrics = {metric::ns_per_grant, metric::grants_per_second, metric::commands_per_grant},
        .targets = {at_most(500, contender::mutex_lingering, metric::ns_per_grant)}};
}

workload take_over()
{
    return {
        .word = "w7b",
        .title = "W7b: taking over a lock that lingers in another process",
        .what = pattern::take_over,
        .processes = 2,
        .entries = {{contender::mutex_lingering, "lingers"}, {contender::mutex, "is free"}},
        .references = {contender::mutex},
        .metrics = {metric::wait_p50_in_round_trips, metric::wait_p99_in_round_trips,
                    metric::wait_p50, metric::wait_p99, metric::wait_max, metric::round_trip_p50}};
}

workload release_notice()
{
    return {.word = "release-notice",
            .title = "release-notice: one thread, uncontended, releases announced or not",
            .entries = {{contender::mutex, "announced"},
                        {contender::mutex_unannounced, "not announced"}},
            .references = {contender::mutex_unannounced},
            .metrics = {metric::grants_per_second, metric::server_us_per_grant,
                        metric::commands_per_grant, metric::wait_p50, metric::wait_p99}};
}

// What the scripts cost the server when it always has requests to execute.
workload server_cost(std::string_view word, std::string_view title, unsigned processes)
{
    return {.word = word,
            .title = title,
            .what = pattern::in_flight,
            .processes = processes,
            .entries = {{contender::mutex, "announced"},
                        {contender::mutex_unannounced, "not announced"}},
            .references = {contender::mutex_unannounced},
            .metrics = {metric::server_cpu_us_per_grant, metric::server_us_per_grant,
                        metric::commands_per_grant, metric::grants_per_second}};
}

workload free_at_the_server()
{
    auto what = server_cost("server-free", "server-free: 256 cycles in flight, locks are free", 1);
    what.targets = {at_most(6.5, contender::mutex, metric::server_cpu_us_per_grant),
                    at_most(4.5, contender::mutex_unannounced, metric::server_cpu_us_per_grant)};
    return what;
}

workload handed_over_at_the_server()
{
    auto what = server_cost("server-hand-over",
                            "server-hand-over: 256 locks in flight between two processes", 2);
    what.targets = {at_most(16, contender::mutex_unannounced, metric::server_cpu_us_per_grant)};
    return what;
}

std::vector<workload> of_mutexes()
{
    return {one_caller(),
            many_in_flight(),
            sixteen_callers(),
            ping_pong(),
            alternation(),
            eight_processes("w5-greedy", "W5: eight processes on one lock, greedy", 0us),
            eight_processes("w5-strict", "W5: eight processes on one lock, each holds it for 1 ms",
                            1000us),
            sixteen_threads(),
            lingering(),
            take_over(),
            release_notice(),
            free_at_the_server(),
            handed_over_at_the_server()};
}

}  // namespace

const std::vector<workload>& all_workloads()
{
    static const std::vector<workload> all = [] {
        std::vector<workload> made = of_mutexes();
        std::ranges::move(of_quorums(), std::back_inserter(made));
        std::ranges::move(of_other_kinds(), std::back_inserter(made));
        return made;
    }();
    return all;
}

std::string_view title_in(const workload& what, contender kind)
{
    const auto found = std::ranges::find(what.entries, kind, &entry::kind);
    if (found == what.entries.end()) throw std::logic_error{"the contender does not take part"};
    return found->title;
}

const workload* find_workload(std::string_view word)
{
    const auto found = std::ranges::find(all_workloads(), word, &workload::word);
    return found == all_workloads().end() ? nullptr : &*found;
}

}  // namespace pawl::bench
