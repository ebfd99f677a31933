#include "store/redis/acquire_verb.h"

#include "base/mutant.h"
#include "store/redis/place.h"
#include "store/redis/reading.h"
#include "store/redis/storage.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace pawl::store {

using core::acquire_request;

namespace {

constexpr std::chrono::milliseconds unknown{0};

// In µs with 16 digits, as the scripts write times. An unknown time is 0.
void append_micros(std::string& out, std::chrono::milliseconds time)
{
    constexpr std::size_t width = 16;
    auto digits = std::to_string(std::chrono::microseconds{time}.count());
    if (time != unknown && digits.size() < width) digits.insert(0, width - digits.size(), '0');
    redis::append_word(out, digits);
}

// The arguments after the place. Locks that one holder has have none: a candidate is a part of its place.
std::vector<std::string> more_arguments(const acquire_request& what)
{
    const auto& object = *what.mine.what;
    switch (storage_of(object)) {
    case storage::plain:
    case storage::hash:
    case storage::term: return {};
    case storage::watch: return {std::to_string(object.seen)};
    case storage::gate: return {made_as(object), std::to_string(object.phase)};
    case storage::set_of_plain:
    case storage::set_of_hash:
        return {core::part_holder(what.mine.holder), std::to_string(what.lease.count())};
    case storage::once:
        return {std::to_string(object.period.count()), object.aligned ? "1" : "",
                object.retries ? "retry" : "once"};
    case storage::members: break;
    }
    if (!what.instead_of) return {capacity_text(object)};
    return {capacity_text(object), holder_text(*what.instead_of)};
}

core::failure too_many_permits(const core::claim& mine, std::int64_t stored)
{
    return {.what = core::failure_kind::refused,
            .detail = std::to_string(mine.what->permits) + " permits are more than the capacity, " +
                      std::to_string(stored)};
}

// By a barrier's waiter: the phase in which it arrived. By an exchange: the holder that leaves.
core::failure lost_since(const core::object& what)
{
    if (what.kind != core::object_kind::barrier) return {.what = core::failure_kind::gone};
    return {.what = core::failure_kind::refused,
            .detail = "the server has lost the phase of this arrival"};
}

// The server holds no more than that, so it is nonsense.
std::uint32_t waiters_in(std::int64_t number)
{
    constexpr std::int64_t most = 1'000'000'000;
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(number, 0, most));
}

core::failure not_due(std::int64_t left_ms)
{
    std::string detail = "its mark has no expiry";
    if (left_ms >= 0) detail = "for another " + std::to_string((left_ms + 999) / 1000) + " s";
    return {.what = core::failure_kind::not_due, .detail = std::move(detail)};
}

}  // namespace

void append(std::string& out, const acquire_request& what, const script_style& how,
            const acquire_context& context)
{
    const auto& object = *what.mine.what;
    const auto& script =
        what.instead_of ? redis::scripts::members_exchange : scripts_of(storage_of(object)).acquire;
    const auto more = more_arguments(what);
    open_call(out, script, how, object, 4 + more.size());
    append_holder(out, what.mine);
    append_micros(out, context.clock.at(what.until).value_or(unknown));
    // A gate has no holds, and its waiters are not counted.
    const bool counts_waiters = what.wait && !core::is_gate(object.kind);
    redis::append_word(out, (what.repeated ? 1 : 0) + (what.wait ? 2 : 0) + (what.fair ? 4 : 0) +
                                (context.mend ? 8 : 0) + (counts_waiters ? 16 : 0));
    auto kept_until = unknown;
    if (what.wait) kept_until = context.clock.at(what.sent).value_or(unknown) + *what.wait;
    auto place = place_text(object, what.place(), kept_until);
    if (storage_of(object) == storage::term) place.append(" ").append(object.candidate);
    redis::append_word(out, place);
    for (const auto& each : more) redis::append_word(out, each);
}

core::acquire_reply read(const acquire_request& what, const redis::reply_view& reply)
{
    if (reply.is_error()) {
        auto got = failure_of_error(reply.text());
        // If a script fails half-way, for example because a permission is missing, its writes stay.
        got.maybe_executed = got.what != core::failure_kind::unavailable &&
                             got.what != core::failure_kind::elsewhere;
        return got;
    }
    // An invalid reply may have been a grant, which must then be given back.
    const auto no_sense = [&reply] {
        auto got = senseless(reply);
        got.maybe_executed = true;
        return got;
    };
    constexpr bool may_say_how_many_wait = true;
    const auto answer = read_answer(reply, 3, may_say_how_many_wait);
    const bool is_busy = answer && (answer->code == 0 || answer->code == -2 || answer->code == -3);
    if (!answer || (answer->more && !is_busy)) return no_sense();
    core::busy others{.left = time_left_in(answer->number), .queued = what.wait.has_value()};
    if (answer->more) others.waiters = waiters_in(*answer->more);
    switch (answer->code) {
    case 1:
    case 2: {
        const auto fence = fence_in(answer->number);
        if (!fence) return no_sense();
        return core::granted{
            .fence = *fence, .found = answer->code == 2, .hint = hint_of(what, *fence)};
    }
    case 0: return others;
    case -1:
        return core::failure{.what = core::failure_kind::unavailable,
                             .detail = "the request came too late"};
    case -2: others.holder = core::held_by::foreign; return others;
    case -3: others.holder = core::held_by::no_lock; return others;
    case -4: return wrong_number(*what.mine.what, answer->number);
    case -5: return too_many_permits(what.mine, answer->number);
    case -6: return other_kind(*what.mine.what);
    case -7: return lost_since(*what.mine.what);
    case -8: return not_due(answer->number);
    default: return no_sense();
    }
}

std::optional<acquire_time> read_time(const redis::reply_view& reply)
{
    const auto answer = read_answer(reply, 3, true);
    const auto now = answer ? server_time_in(answer->time_us) : std::nullopt;
    if (!now) return std::nullopt;
    return acquire_time{.now = *now,
                        .exact = std::chrono::microseconds{answer->time_us},
                        .too_late = answer->code == -1};
}

std::optional<std::uint64_t> first_trusted_fence(const acquire_request& what,
                                                 const redis::server_facts& server,
                                                 const server_clock& clock,
                                                 const server_history& history)
{
    using std::chrono::microseconds;
    // The replies to a bare acquire do not contain the server's time, which other requests need.
    constexpr std::chrono::minutes lately{1};
    // If the server has forgotten the fence, INCR starts from 1, and the key has no expiry.
    const std::chrono::milliseconds longest{redis::scripts::fence_lifetime_ms / 2};
    const bool overtakes = what.fair && !base::is(base::mutant::bare_overtakes);
    // A holder id that was sent before may have a place in the queue, or the lock.
    if (!what.hint || !what.first || what.reserve > 0 || overtakes) return std::nullopt;
    if (base::is(base::mutant::bare_fence_unchecked)) return 1;
    if (base::is(base::mutant::bare_fence_from_old_data)) return 1'000'000'000'000'000;
    const auto began = clock.was_at(server.since, what.sent, lately);
    const auto now = clock.was_at(what.sent, what.sent, lately);
    if (!began || !now) return std::nullopt;
    const auto known = history.own_since();
    const auto own =
        base::is(base::mutant::bare_after_replica) ? std::optional<std::uint64_t>{0} : known;
    if (!own) return std::nullopt;
    const auto from = std::max(microseconds{*began}.count(), static_cast<std::int64_t>(*own));
    const auto last = static_cast<std::int64_t>(what.hint.value);
    if (from <= 0 || last < from || last < microseconds{*now - longest}.count()) {
        return std::nullopt;
    }
    return static_cast<std::uint64_t>(from);
}

bool leads_to_bare(const acquire_request& what) noexcept
{
    return storage_of(*what.mine.what) == storage::plain && !what.fair && what.reserve == 0;
}

void append_bare(std::string& out, const acquire_request& what)
{
    redis::append_word_count(out, 6);
    redis::append_word(out, "SET");
    redis::append_word(out, what.mine.what->name);
    redis::append_word(out, what.mine.holder);
    redis::append_word(out, "NX");
    redis::append_word(out, "PX");
    append_milliseconds(out, what.lease);
    redis::append_word_count(out, 2);
    redis::append_word(out, "INCR");
    append_fence_key(out, what.mine.what->name);
}

core::hint hint_of(const acquire_request& what, std::uint64_t fence) noexcept
{
    if (storage_of(*what.mine.what) != storage::plain) return {};
    return {.value = fence};
}

}  // namespace pawl::store
