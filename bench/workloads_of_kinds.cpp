// The workloads of shared_mutex, counting_semaphore, latch and condition_variable.
#include "targets.h"
#include "workload.h"

namespace pawl::bench {
namespace {

// ── Readers ─────────────────────────────────────────────────────────────────────────────────────

workload readers_of_one_process()
{
    return {.word = "w10-one-process",
            .title = "W10: sixteen threads of one process, all of them readers",
            .threads = 16,
            .holders = any_number,
            .timed = false,
            .entries = {{contender::readers, "pawl::shared_mutex"},
                        {contender::readers_per_thread, "a client per thread"},
                        {contender::raw_readers, "16 raw, the least"},
                        {contender::std_shared_mutex, "std::shared_mutex"}},
            .references = {contender::raw_readers, contender::std_shared_mutex},
            .metrics = {metric::grants_per_second, metric::commands_per_grant, metric::fairness,
                        metric::client_cpu_us_per_grant},
            .targets = {at_least_times_best_peer(1, contender::readers, metric::grants_per_second)},
            .peer_word = "w10-one-process"};
}

workload readers_of_eight_processes()
{
    return {.word = "w10-eight-processes",
            .title = "W10: eight processes, all of them readers",
            .processes = 8,
            .holders = any_number,
            .entries = {{contender::readers, "pawl::shared_mutex"},
                        {contender::raw_readers, "raw, the least"}},
            .references = {contender::raw_readers},
            .metrics = {metric::grants_per_second, metric::commands_per_grant,
                        metric::server_us_per_grant, metric::wait_p50, metric::wait_p99,
                        metric::client_cpu_us_per_grant},
            .targets = {at_least_times_best_peer(1, contender::readers, metric::grants_per_second)},
            .peer_word = "w10-eight-processes"};
}

// ── Permits ─────────────────────────────────────────────────────────────────────────────────────

// Redisson has a second semaphore, whose permits have a lease.
std::vector<std::string_view> both_semaphores()
{
    return {"", "-expirable"};
}

workload free_permits()
{
    return {
        .word = "w11-free",
        .title = "W11: one thread, semaphores with free permits, another one each time",
        .what = pattern::free_locks,
        .of = subject::permits,
        .entries = {{contender::semaphore, "pawl::counting_semaphore"},
                    {contender::raw_same, "raw, same commands"},
                    {contender::raw_least, "raw, the least"}},
        .references = {contender::raw_same, contender::raw_least},
        .metrics = {metric::grants_per_second, metric::cycle_p50, metric::cycle_p99,
                    metric::commands_per_grant, metric::server_us_per_grant,
                    metric::client_cpu_us_per_grant},
        .targets = {at_least_times_best_peer(1, contender::semaphore, metric::grants_per_second)},
        .peer_word = "w11-free",
        .peer_variants = both_semaphores()};
}

workload contended_semaphore()
{
    return {
        .word = "w11-contended",
        .title = "W11: eight processes on a semaphore of three permits",
        .processes = 8,
        .holders = contended_permits,
        .entries = {{contender::semaphore, "pawl::counting_semaphore"},
                    {contender::raw_permits, "raw hand-off"}},
        .references = {contender::raw_permits},
        .metrics = {metric::grants_per_second, metric::commands_per_grant, metric::fairness,
                    metric::wait_p50, metric::wait_p99, metric::wait_max,
                    metric::server_us_per_grant},
        .targets = {at_least_times_best_peer(1, contender::semaphore, metric::grants_per_second)},
        .peer_word = "w11-contended",
        .peer_variants = both_semaphores()};
}

// ── Latches ─────────────────────────────────────────────────────────────────────────────────────

workload release_of_a_thousand()
{
    return {.word = "w12",
            .title = "W12: a latch releases 1,000 waiters, in eight processes",
            .what = pattern::release_all,
            .processes = 8,
            .entries = {{contender::latch, "pawl::latch"},
                        {contender::raw_latch, "raw, a message for each process"}},
            .references = {contender::raw_latch},
            .metrics = {metric::last_released_p50, metric::last_released_p99,
                        metric::each_released_p50, metric::commands_per_grant,
                        metric::server_us_per_grant, metric::client_cpu_us_per_grant},
            .targets = {at_most_times_best_peer(1, contender::latch, metric::last_released_p50)},
            .peer_word = "w12"};
}

// ── Conditions ──────────────────────────────────────────────────────────────────────────────────

workload condition_ping_pong()
{
    return {.word = "w13",
            .title = "W13: two processes, ping-pong with a condition",
            .what = pattern::notify,
            .processes = 2,
            .over_both = true,
            .entries = {{contender::condition, "pawl::condition_variable"},
                        {contender::raw_condition, "raw, the least"}},
            .references = {contender::raw_condition},
            .metrics = {metric::hand_offs_per_second, metric::hand_off_p50, metric::hand_off_p99,
                        metric::hand_off_max, metric::commands_per_grant,
                        metric::server_us_per_grant, metric::client_cpu_us_per_grant}};
}

}  // namespace

std::vector<workload> of_other_kinds()
{
    return {readers_of_one_process(), readers_of_eight_processes(), free_permits(),
            contended_semaphore(),    release_of_a_thousand(),      condition_ping_pong()};
}

}  // namespace pawl::bench
