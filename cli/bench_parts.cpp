#include "bench_parts.h"

#include "relay.h"

#include <pawl/hold.h>
#include <pawl/mutex.h>

#include <memory>

namespace pawl::cli {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

// If pawl is killed, its locks are free after this time.
constexpr std::chrono::milliseconds lease = 10s;
// Longer than the scheduler delays any thread, so that no round trip happens during the
// measurement.
constexpr std::chrono::milliseconds linger = 1s;

template <class Call>
void time(common::latency_histogram& times, Call&& call)
{
    const auto start = clock::now();
    std::forward<Call>(call)();
    times.add(clock::now() - start);
}

[[nodiscard]] std::string name_in(const bench_setting& setting, std::string_view part)
{
    return setting.prefix + ":" + std::string{part};
}

void acquire_and_release(mutex& lock, const std::stop_token& give_up)
{
    lock.acquire(give_up).release();
}

[[nodiscard]] bench_result ping(const bench_setting& setting)
{
    common::latency_histogram times;
    crew one{{{.prepare = [&](const auto&) { setting.shared.ping(); },
               .step = [&](const auto&) { time(times, [&] { setting.shared.ping(); }); }}}};
    bench_result result;
    result.problem = one.run(setting.orders);
    result.lines.push_back({"ping", "round trip (ping)", times, one.elapsed()});
    return result;
}

[[nodiscard]] bench_result lock(const bench_setting& setting)
{
    common::latency_histogram acquire;
    common::latency_histogram release;
    common::latency_histogram both;
    mutex lock{setting.shared, name_in(setting, "lock"), {.lease = lease}};
    const auto cycle = [&](const std::stop_token& give_up) {
        const auto start = clock::now();
        hold held = lock.acquire(give_up);
        const auto granted = clock::now();
        held.release();
        const auto end = clock::now();
        acquire.add(granted - start);
        release.add(end - granted);
        both.add(end - start);
    };
    crew one{{{.prepare = [&](const auto& give_up) { acquire_and_release(lock, give_up); },
               .step = cycle}}};
    bench_result result;
    result.problem = one.run(setting.orders);
    result.lines.push_back({"acquire", "acquire a free lock", acquire});
    result.lines.push_back({"release", "release it", release});
    result.lines.push_back({"lock", "acquire and release", both, one.elapsed(), false});
    return result;
}

[[nodiscard]] bench_result hand_off(const bench_setting& setting)
{
    client other{setting.second};
    relay race{setting.shared, other, name_in(setting, "hand-off"), {.lease = lease}};
    crew two{race.members()};
    bench_result result;
    result.problem = two.run(setting.orders);
    result.lines.push_back({"hand_off", "hand-off to another client", race.times()});
    return result;
}

struct busy_thread {
    busy_thread(client& client, const std::string& name) : lock{client, name, {.lease = lease}} {}

    mutex lock;
    common::latency_histogram times{};
};

[[nodiscard]] bench_result threads(const bench_setting& setting)
{
    std::vector<std::unique_ptr<busy_thread>> all;
    std::vector<crew_member> members;
    for (unsigned i = 0; i < setting.threads; ++i) {
        const std::string name = name_in(setting, "threads:" + std::to_string(i));
        all.push_back(std::make_unique<busy_thread>(setting.shared, name));
        busy_thread& own = *all.back();
        members.push_back({
            .prepare = [&own](const auto& give_up) { acquire_and_release(own.lock, give_up); },
            .step =
                [&own](const auto& give_up) {
                    time(own.times, [&] { acquire_and_release(own.lock, give_up); });
                },
        });
    }
    crew many{std::move(members)};
    bench_result result;
    result.problem = many.run(setting.orders);
    common::latency_histogram times;
    for (const auto& each : all) times.add(each->times);
    const std::string title = std::to_string(setting.threads) +
                              (setting.threads == 1 ? " thread, a lock" : " threads, a lock each");
    result.lines.push_back({"threads", title, times, many.elapsed()});
    return result;
}

[[nodiscard]] bench_result lingering(const bench_setting& setting)
{
    common::latency_histogram times;
    mutex lock{setting.shared, name_in(setting, "linger"), {.lease = lease, .linger = linger}};
    crew one{{{.prepare = [&](const auto& give_up) { acquire_and_release(lock, give_up); },
               .step =
                   [&](const auto& give_up) {
                       time(times, [&] { acquire_and_release(lock, give_up); });
                   }}}};
    bench_result result;
    result.problem = one.run(setting.orders);
    result.lines.push_back({"linger", "lock that lingers here", times, one.elapsed()});
    return result;
}

}  // namespace

bench_result measure(bench_part part, const bench_setting& setting)
{
    switch (part) {
    case bench_part::ping: return ping(setting);
    case bench_part::lock: return lock(setting);
    case bench_part::hand_off: return hand_off(setting);
    case bench_part::threads: return threads(setting);
    case bench_part::linger: return lingering(setting);
    }
    return {};
}

}  // namespace pawl::cli
