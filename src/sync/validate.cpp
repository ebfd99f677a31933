#include "sync/validate.h"

#include "core/candidate.h"

#include <pawl/error.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace pawl::sync {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

[[noreturn]] void refuse(std::string_view option, const std::string& value,
                         std::string_view allowed)
{
    throw error{errc::bad_argument,
                std::string{option} + ": " + value + " (allowed: " + std::string{allowed} + ")"};
}

void check(std::string_view option, milliseconds value, milliseconds least, milliseconds most,
           std::string_view allowed)
{
    if (value < least || value > most)
        refuse(option, std::to_string(value.count()) + " ms", allowed);
}

void check(std::string_view what, unsigned value, unsigned most)
{
    if (value < 1 || value > most) {
        refuse(what, std::to_string(value), "1 to " + std::to_string(most));
    }
}

void refuse_linger(const lock_options& options, std::string_view type)
{
    if (options.linger == 0ms) return;
    refuse("linger", std::to_string(options.linger.count()) + " ms of a " + std::string{type}, "0");
}

// Kinds that are stored in one way only, and that nobody keeps after their release.
void check_for_own_kind(const lock_options& options, std::string_view type)
{
    refuse_linger(options, type);
    if (options.layout) {
        refuse("layout", "a value of a " + std::string{type}, "unset: there is one layout");
    }
}

void check_kind(const core::object& what, const lock_options& options)
{
    using kind = core::object_kind;
    switch (what.kind) {
    case kind::shared: return check_for_own_kind(options, "shared_mutex");
    case kind::permits:
        validate_capacity(what.capacity);
        return check_for_own_kind(options, "counting_semaphore");
    case kind::leader:
        validate_payload(core::candidate_in(what.candidate).payload);
        return check_for_own_kind(options, "leader");
    case kind::many: validate_names(what.parts.size()); return refuse_linger(options, "lock_set");
    case kind::once:
        check("period", what.period, 10ms, 366 * 24h, "10 ms to 366 days");
        return check_for_own_kind(options, "once_per");
    case kind::exclusive:
    case kind::counted:
    case kind::latch:
    case kind::barrier:
    case kind::watch: return;
    }
}

// How long, and under which condition, the lock stays held.
void check_holding(const lock_options& options)
{
    validate_lease("lease", options.lease);
    if (options.longest_hold != 0ms) {
        check("longest_hold", options.longest_hold, 10ms, 30 * 24h, "0, or 10 ms to 30 days");
    }
    if (options.heartbeat == 0ms) return;
    check("heartbeat", options.heartbeat, 10ms, 24h, "0, or 10 ms to 24 h");
    if (!options.renew) {
        refuse("heartbeat", std::to_string(options.heartbeat.count()) + " ms with renew = false",
               "0, or renew = true");
    }
}

}  // namespace

void validate(const client_options& options)
{
    check("connect_limit", options.connect_limit, 10ms, 10min, "10 ms to 10 min");
    check("command_limit", options.command_limit, 10ms, 10min, "10 ms to 10 min");
    check("shutdown_limit", options.shutdown_limit, 0ms, 10min, "0 to 10 min");
    if (options.pool_size < 1 || options.pool_size > 1024) {
        refuse("pool_size", std::to_string(options.pool_size), "1 to 1024");
    }
    check("longest_lease", options.longest_lease, 10ms, 60s, "10 ms to 60 s");
    constexpr std::size_t most_measured = 100;
    if (options.measured_locks.size() > most_measured) {
        refuse("measured_locks", std::to_string(options.measured_locks.size()) + " names",
               "0 to 100 names");
    }
    for (const auto& name : options.measured_locks) core::check_name("measured_locks: name", name);
    // In this form, the condition is also false for NaN.
    if (!(options.clock_drift >= 0 && options.clock_drift <= 0.5)) {
        refuse("clock_drift", std::to_string(options.clock_drift), "0 to 0.5");
    }
}

void validate(const core::object& what, const lock_options& options, fairness fairness)
{
    check_kind(what, options);
    check_holding(options);
    const auto* const polls = std::get_if<poll>(&options.wait);
    if (polls != nullptr) check("wait.interval", polls->interval, 1ms, 1min, "1 ms to 1 min");
    check("linger", options.linger, 0ms, 1min, "0 to 1 min");
    if (options.linger > 0ms) {
        const auto value = std::to_string(options.linger.count()) + " ms";
        if (!options.renew) refuse("linger", value + " with renew = false", "0, or renew = true");
        if (polls != nullptr) refuse("linger", value + " with wait = poll", "0, or wait = notify");
        if (fairness == fairness::fair) refuse("linger", value + " of a fair_mutex", "0");
    }
    if (options.layout && *options.layout != layout::plain && *options.layout != layout::hash) {
        refuse("layout", std::to_string(static_cast<int>(*options.layout)), "plain, hash");
    }
}

void validate_on_quorum(const lock_settings& lock, const client_options& options)
{
    using kind = core::object_kind;
    switch (lock.what.kind) {
    case kind::exclusive:
    case kind::counted: break;
    case kind::shared: refuse_on_quorum("shared_mutex");
    case kind::permits: refuse_on_quorum("counting_semaphore");
    case kind::latch: refuse_on_quorum("latch");
    case kind::barrier: refuse_on_quorum("barrier");
    case kind::many: refuse_on_quorum("lock_set");
    case kind::leader:
    case kind::watch: refuse_on_quorum("leader");
    case kind::once: refuse_on_quorum("once_per");
    }
    validate_lease_on_quorum("lease", lock.lease, options);
    if (lock.linger > 0ms) {
        refuse("linger", std::to_string(lock.linger.count()) + " ms on a quorum", "0");
    }
    if (lock.what.kind == kind::exclusive && lock.what.layout == layout::hash) {
        refuse("layout", "hash on a quorum", "plain, or unset");
    }
}

void validate_lease_on_quorum(std::string_view option, milliseconds lease,
                              const client_options& options)
{
    const auto most = options.longest_lease;
    if (lease > most) {
        refuse(option, std::to_string(lease.count()) + " ms on a quorum",
               "10 ms to client_options::longest_lease, " + std::to_string(most.count()) + " ms");
    }
}

void refuse_on_quorum(std::string_view type)
{
    refuse("kind", std::string{type} + " on a quorum",
           "mutex, fair_mutex, recursive_mutex, striped_mutex: the others need one server that "
           "counts");
}

void validate_capacity(unsigned capacity)
{
    constexpr unsigned largest = 1'000'000;
    check("capacity", capacity, largest);
}

void validate_payload(std::string_view payload)
{
    constexpr std::size_t longest = 4096;
    if (payload.size() > longest) {
        refuse("payload", std::to_string(payload.size()) + " bytes", "0 to 4096 bytes");
    }
}

void validate_permits(unsigned permits, unsigned most)
{
    check("permits", permits, most);
}

void validate_lease(std::string_view option, milliseconds lease)
{
    check(option, lease, 10ms, 24h, "10 ms to 24 h");
}

void validate_names(std::size_t names)
{
    if (names < 1 || names > 16) refuse("names", std::to_string(names), "1 to 16");
}

void validate_stripes(std::size_t stripes)
{
    if (stripes < 1 || stripes > 65'536) {
        refuse("stripes", std::to_string(stripes), "1 to 65536");
    }
}

void validate_stripe(std::size_t index, std::size_t stripes)
{
    if (index >= stripes) {
        refuse("stripe", std::to_string(index), "0 to " + std::to_string(stripes - 1));
    }
}

}  // namespace pawl::sync
