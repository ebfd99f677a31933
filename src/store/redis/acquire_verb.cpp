#include "store/redis/acquire_verb.h"

#include "base/mutant.h"
#include "core/acquire.h"
#include "store/redis/reading.h"

#include <string_view>

namespace pawl::store {

namespace scripts = redis::scripts;
using core::acquire_request;

namespace {

// Arguments at the end that go without saying are left out: each costs the server as much as a few
// lines of the script.

bool stays_as_usual(const acquire_request& what)
{
    return !what.wait || *what.wait == core::place_lifetime(what.lease);
}

// A request that cannot be in the queue need not say which client would be told.
bool says_client(const acquire_request& what)
{
    return !what.client.empty() && (what.wait || what.repeated || what.fair);
}

std::size_t argument_count(const acquire_request& what)
{
    if (!stays_as_usual(what)) return 7;
    if (what.reserve > 0) return 6;
    return says_client(what) ? 5 : 4;
}

}  // namespace

void append(std::string& out, const acquire_request& what, const script_style& how,
            const acquire_context& context)
{
    const auto& script =
        what.mine.what->layout == layout::plain ? scripts::plain_acquire : scripts::hash_acquire;
    const auto count = argument_count(what);
    open_call(out, script, how, what.mine.what->name, count);
    redis::append_word(out, what.mine.holder);
    append_milliseconds(out, what.lease);
    append_milliseconds(out, context.clock.at(what.until).value_or(std::chrono::milliseconds{0}));
    redis::append_word(out, (what.repeated ? 1 : 0) + (what.wait ? 2 : 0) + (what.fair ? 4 : 0) +
                                (context.mend ? 8 : 0));
    if (count >= 5) redis::append_word(out, says_client(what) ? what.client : std::string_view{});
    if (count >= 6) append_number(out, what.reserve);
    if (count >= 7) append_milliseconds(out, *what.wait);
}

core::acquire_reply read(const acquire_request& what, const redis::reply_view& reply)
{
    if (reply.is_error()) {
        auto got = failure_of_error(reply.text());
        // A script that fails half-way, for a missing right say, keeps what it wrote until then.
        got.maybe_executed = got.what != core::failure_kind::unavailable;
        return got;
    }
    // An answer without sense may be that to a grant, which is to be taken back.
    const auto no_sense = [&reply] {
        auto got = senseless(reply);
        got.maybe_executed = true;
        return got;
    };
    if (reply.size() != 3) return no_sense();
    const auto number = reply[1].integer();
    core::busy others{.left = time_left_in(number), .queued = what.wait.has_value()};
    switch (const auto code = reply[0].integer()) {
    case 1:
    case 2: {
        const auto fence = fence_in(number);
        if (!fence) return no_sense();
        return core::granted{.fence = *fence, .found = code == 2, .hint = hint_of(what, *fence)};
    }
    case 0: return others;
    case -1:
        return core::failure{.what = core::failure_kind::unavailable,
                             .detail = "the request came too late"};
    case -2: others.holder = core::held_by::foreign; return others;
    case -3: others.holder = core::held_by::no_lock; return others;
    default: return no_sense();
    }
}

std::optional<acquire_time> read_time(const redis::reply_view& reply)
{
    if (reply.size() != 3) return std::nullopt;
    const auto now = server_time_in(reply[2].integer());
    if (!now) return std::nullopt;
    return acquire_time{.now = *now, .too_late = reply[0].integer() == -1};
}

std::optional<std::uint64_t> first_trusted_fence(const acquire_request& what,
                                                 const redis::server_facts& server,
                                                 const server_clock& clock)
{
    using std::chrono::microseconds;
    // The answer to a bare acquire does not tell the time, which others need to know.
    constexpr std::chrono::minutes lately{1};
    // A fence is forgotten after twice as long: INCR would begin with 1, and for ever.
    constexpr std::chrono::hours longest{12};
    const bool overtakes = what.fair && !base::is(base::mutant::bare_overtakes);
    // A holder that has asked before may have a place in the queue, or the lock.
    if (!what.hint || !what.first || what.reserve > 0 || overtakes) return std::nullopt;
    if (base::is(base::mutant::bare_fence_unchecked)) return 1;
    if (base::is(base::mutant::bare_fence_from_old_data)) return 1'000'000'000'000'000;
    const auto began = clock.was_at(server.since, what.sent, lately);
    const auto now = clock.was_at(what.sent, what.sent, lately);
    if (!began || !now) return std::nullopt;
    const auto from = microseconds{*began}.count();
    const auto last = static_cast<std::int64_t>(what.hint.value);
    if (from <= 0 || last < from || last < microseconds{*now - longest}.count()) {
        return std::nullopt;
    }
    return static_cast<std::uint64_t>(from);
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
    if (what.mine.what->layout != layout::plain) return {};
    return {.value = fence};
}

}  // namespace pawl::store
