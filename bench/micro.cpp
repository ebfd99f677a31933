// pawl_micro: what a lock costs in the process that takes it. The first two need no server.
#include "support/redis_server.h"

#include <pawl/pawl.h>

#include <benchmark/benchmark.h>

#include <chrono>
#include <exception>
#include <iostream>
#include <mutex>
#include <string>

namespace {

using namespace std::chrono_literals;

template <class Mutex>
void lock_and_unlock(benchmark::State& state, Mutex& mutex)
{
    for (auto _ : state) {
        const std::scoped_lock guard{mutex};
        benchmark::ClobberMemory();
    }
}

void standard_mutex(benchmark::State& state)
{
    std::mutex mutex;
    lock_and_unlock(state, mutex);
}

// The first cycle takes the lock on the server. It lingers from then on.
void lingering_mutex(benchmark::State& state, const std::string& url)
{
    pawl::client client{url};
    pawl::mutex mutex{client, "lingering", {.linger = 5s}};
    {
        const std::scoped_lock first{mutex};
    }
    lock_and_unlock(state, mutex);
}

void mutex_on_the_server(benchmark::State& state, const std::string& url)
{
    pawl::client client{url};
    pawl::mutex mutex{client, "each-time"};
    lock_and_unlock(state, mutex);
}

int run(int argc, char** argv)
{
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    const pawl::test::redis_server server;
    benchmark::RegisterBenchmark("std::mutex", standard_mutex);
    benchmark::RegisterBenchmark("pawl::mutex, lingering", lingering_mutex, server.unix_url());
    // It mostly waits, so the processor time says little.
    benchmark::RegisterBenchmark("pawl::mutex, over a Unix socket", mutex_on_the_server,
                                 server.unix_url())
        ->UseRealTime();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        return run(argc, argv);
    } catch (const std::exception& problem) {
        std::cerr << "pawl_micro: " << problem.what() << '\n';
        return 1;
    }
}
