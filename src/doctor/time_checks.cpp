// Round trips and clocks.
#include "doctor/checks.h"
#include "doctor/timing.h"
#include "doctor/writing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace pawl::doctor {
namespace {

constexpr std::string_view no_time = "the server does not tell its time";

std::string with_sign(microseconds difference)
{
    return (difference.count() < 0 ? "-" : "+") + span(std::chrono::abs(difference));
}

std::string percent(double fraction)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3f %%", fraction * 100);
    return text.data();
}

// How far the estimate is from zero at least.
microseconds surely(const estimate& of)
{
    return std::max(std::chrono::abs(of.value) - of.error, microseconds{0});
}

std::string_view no_samples(const server_facts& of)
{
    return of.samples.empty() ? no_time : std::string_view{"too few answers"};
}

}  // namespace

findings check_round_trip(const server_facts& of, const circumstances& /*at*/)
{
    using std::chrono::milliseconds;
    const subject about{"round-trip", of.server};
    const auto trips = round_trips_in(of.samples);
    if (!trips) return {not_checked(about, no_samples(of))};
    const std::string seen = "median " + span(trips->median) + ", shortest " +
                             span(trips->shortest) + ", 99 % " + span(trips->p99) + ", longest " +
                             span(trips->longest) + " (" +
                             counted(of.samples.size(), "request", "requests") + ")";
    if (trips->median >= milliseconds{100} || trips->p99 >= milliseconds{500}) {
        return {found(severity::warning, about, seen,
                      "each acquire and each release takes at least one round trip, and renewals "
                      "with a short lease may come too late",
                      "use a server that is nearer, or longer leases; look for other load on it")};
    }
    if (trips->median >= milliseconds{10} || trips->p99 >= milliseconds{100}) {
        return {found(severity::note, about, seen,
                      "each acquire and each release takes at least one round trip",
                      "use a server that is nearer if locks are taken often")};
    }
    return {fine(about, seen)};
}

findings check_clock(const server_facts& of, const circumstances& /*at*/)
{
    const subject about{"clock", of.server};
    const auto difference = clock_difference(of.samples);
    if (!difference) return {not_checked(about, no_samples(of))};
    const std::string seen =
        "the server's clock minus this machine's: " + with_sign(difference->value) + " ± " +
        span(difference->error);
    if (surely(*difference) < std::chrono::seconds{1}) return {fine(about, seen)};
    return {
        found(surely(*difference) < std::chrono::minutes{1} ? severity::note : severity::warning,
              about, seen,
              "leases do not depend on it, but fences and once_per use the server's clock: a "
              "clock that is wrong and then set right can repeat fences",
              "synchronise the clocks of all machines (NTP), and let it slew them")};
}

findings check_drift(const server_facts& of, const circumstances& at)
{
    const subject about{"clock-drift", of.server};
    const auto speed = drift_in(of.samples);
    if (!speed) return {not_checked(about, no_samples(of))};
    const double size = std::abs(speed->value);
    const std::string seen = "the server's clock runs " + percent(size) +
                             (speed->value < 0 ? " slower" : " faster") +
                             " than this machine's, ± " + percent(speed->error);
    if (size - speed->error > at.clock_drift) {
        return {found(severity::fault, about,
                      seen + "; allowed: " + percent(at.clock_drift) + ", or it was stepped",
                      "a lease may end on the server before its holder knows that",
                      "correct the clock of the server or of this machine, or raise "
                      "client_options::clock_drift in all clients")};
    }
    if (size + speed->error <= at.clock_drift) return {fine(about, seen)};
    return {found(
        severity::note, about, seen,
        "this does not tell whether the drift is less than the allowed " + percent(at.clock_drift),
        "measure for longer: pawl doctor --for 10s")};
}

findings check_clocks(const std::vector<server_facts>& all, const circumstances& at)
{
    struct reading {
        std::string server;
        estimate clock;
    };
    std::vector<reading> known;
    for (const auto& each : all) {
        if (const auto clock = clock_difference(each.samples)) {
            known.push_back({each.server, *clock});
        }
    }
    if (known.size() < 2) return {};
    const auto by_value = [](const reading& of) { return of.clock.value; };
    const auto [low, high] = std::ranges::minmax_element(known, {}, by_value);
    const auto apart = high->clock.value - low->clock.value;
    const auto error = high->clock.error + low->clock.error;
    const subject about{"clocks"};
    const std::string seen =
        high->server + " is " + span(apart) + " ± " + span(error) + " ahead of " + low->server;
    if (apart - error < std::chrono::milliseconds{100}) {
        return {
            fine(about, "the clocks of the servers are at most " + span(apart + error) + " apart")};
    }
    return {found(apart - error < std::chrono::seconds{1} ? severity::note : severity::warning,
                  about, seen,
                  at.kind == store_kind::quorum
                      ? "when such a clock is corrected by a step, leases end early at that node, "
                        "and clients do not count its votes for a while"
                      : "if a lock moves to a server whose clock is ahead, its lease ends early "
                        "there, and two can hold it",
                  "synchronise the clocks of the servers (NTP), and let it slew them")};
}

}  // namespace pawl::doctor
