#include "store/redis/wire.h"

#include "base/json_text.h"
#include "base/mutant.h"
#include "core/acquire.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <chrono>
#include <string_view>
#include <system_error>

namespace pawl::store {

using core::operation;
using core::outcome;
using core::verb;
using core::verdict;
using redis::script;

namespace {

// What a server says is not trusted to make sense: a key may have any expiry, and a clock may show
// anything. Times are counted in ns here, which a number of ms from elsewhere would overflow.
constexpr std::chrono::hours longest_wait{24};
constexpr std::chrono::milliseconds last_time{4'102'444'800'000};  // the year 2100
constexpr std::int64_t largest_fence = std::int64_t{1} << 53;      // Lua counts no further

std::optional<std::uint64_t> fence_in(std::int64_t number)
{
    if (number <= 0 || number > largest_fence) return std::nullopt;
    return static_cast<std::uint64_t>(number);
}

std::optional<std::chrono::milliseconds> server_time_in(std::int64_t number)
{
    if (number <= 0 || number > last_time.count()) return std::nullopt;
    return std::chrono::milliseconds{number};
}

// -1: not known.
std::chrono::milliseconds time_left_in(std::int64_t number)
{
    constexpr std::int64_t longest = std::chrono::milliseconds{longest_wait}.count();
    return std::chrono::milliseconds{std::clamp<std::int64_t>(number, -1, longest)};
}

const script& script_for(const operation& what)
{
    namespace scripts = redis::scripts;
    const bool plain = what.layout == layout::plain;
    switch (what.what) {
    case verb::acquire: return plain ? scripts::plain_acquire : scripts::hash_acquire;
    // A plain lock has no room for a count: re-entering it renews it.
    case verb::set_count: return plain ? scripts::plain_renew : scripts::hash_set_count;
    case verb::renew: return plain ? scripts::plain_renew : scripts::hash_renew;
    case verb::check: return plain ? scripts::plain_check : scripts::hash_check;
    case verb::keep: return plain ? scripts::plain_keep : scripts::hash_keep;
    case verb::release: break;
    }
    return plain ? scripts::plain_release : scripts::hash_release;
}

bool replies_with_list(const operation& what)
{
    return what.what == verb::renew ||
           (what.what == verb::set_count && what.layout == layout::plain);
}

// Whether it has to do with all keys of the lock, or with the lock alone.
bool needs_all_keys(const operation& what)
{
    return what.what == verb::acquire || what.what == verb::keep || what.what == verb::release;
}

// The words that open a call, up to the number of keys.
void append_script(std::string& out, const script& which, script_form form,
                   const redis::server_facts& server)
{
    const bool flags = server.knows_script_flags();
    if (form == script_form::by_sha) {
        redis::append_word(out, "EVALSHA");
        redis::append_word(out, flags ? which.sha : which.sha_without_flags);
    } else {
        redis::append_word(out, "EVAL");
        redis::append_word(out, flags ? which.text : which.text_without_flags());
    }
}

void append_key(std::string& out, std::string_view prefix, const core::key_tail& tail)
{
    redis::append_word_length(out, prefix.size() + tail.size());
    out += prefix;
    tail.append_to(out);
    redis::append_word_end(out);
}

void append_all_keys(std::string& out, const core::lock_keys& keys)
{
    const core::key_tail tail{keys};
    redis::append_word(out, keys.lock);
    append_key(out, core::fence_prefix, tail);
    append_key(out, core::queue_prefix, tail);
    append_key(out, core::waiters_prefix, tail);
}

void append_milliseconds(std::string& out, std::chrono::milliseconds value)
{
    redis::append_word(out, value.count());
}

void append_number(std::string& out, std::uint64_t value)
{
    redis::append_word(out, static_cast<std::int64_t>(value));
}

// The arguments of the scripts, as these describe them. Those at the end that go without saying are
// left out: each costs the server as much as a few lines of the script.

bool stays_as_usual(const operation& what)
{
    return !what.join || what.stay == core::place_lifetime(what.lease);
}

// Who cannot be in the queue need not say who would be told.
bool says_client(const operation& what)
{
    return !what.client.empty() && (what.join || what.repeated || what.fair);
}

std::size_t count_for_acquire(const operation& what)
{
    if (!stays_as_usual(what)) return 7;
    if (what.reserve > 0) return 6;
    return says_client(what) ? 5 : 4;
}

void append_acquire(std::string& out, const operation& what, const server_clock& clock)
{
    const auto count = count_for_acquire(what);
    append_milliseconds(out, what.lease);
    append_milliseconds(out, clock.at(what.until).value_or(std::chrono::milliseconds{0}));
    redis::append_word(out, (what.repeated ? 1 : 0) + (what.join ? 2 : 0) + (what.fair ? 4 : 0) +
                                (what.mend ? 8 : 0));
    if (count >= 5) redis::append_word(out, says_client(what) ? what.client : std::string_view{});
    if (count >= 6) append_number(out, what.reserve);
    if (count >= 7) append_milliseconds(out, what.stay);
}

// Whether an announcement cannot be made of name and holder as they are.
bool says_json(const operation& what)
{
    return what.announce &&
           !(base::is_plain_json(what.keys->lock) && base::is_plain_json(what.holder));
}

void append_flags_of_end(std::string& out, const operation& what, bool json)
{
    redis::append_word(out, (what.announce ? 1 : 0) + (json ? 2 : 0) + (what.has_reserve ? 4 : 0));
}

// Without their quotes, which the script has.
void append_json(std::string& out, const operation& what)
{
    for (const auto text : {std::string_view{what.keys->lock}, what.holder}) {
        const auto quoted = base::json_text(text);
        redis::append_word(out, std::string_view{quoted}.substr(1, quoted.size() - 2));
    }
}

std::size_t count_for_release(const operation& what)
{
    if (says_json(what)) return 6;
    return what.place.empty() ? 3 : 4;
}

void append_release(std::string& out, const operation& what)
{
    const auto count = count_for_release(what);
    append_flags_of_end(out, what, count == 6);
    append_number(out, what.used);
    if (count >= 4) redis::append_word(out, what.place);
    if (count == 6) append_json(out, what);
}

void append_keep(std::string& out, const operation& what)
{
    const bool json = says_json(what);
    append_flags_of_end(out, what, json);
    append_number(out, what.used);
    append_milliseconds(out, what.lease);
    if (json) {
        append_json(out, what);
    } else {
        redis::append_word(out, "");
        redis::append_word(out, "");
    }
    append_number(out, what.reserve);
    append_number(out, what.reserved);
}

std::size_t argument_count(const operation& what)
{
    switch (what.what) {
    case verb::acquire: return count_for_acquire(what);
    case verb::renew: return 2;
    case verb::set_count: return what.layout == layout::hash ? 3 : 2;
    case verb::keep: return 8;
    case verb::release: return count_for_release(what);
    case verb::check: break;
    }
    return 1;
}

void append_arguments(std::string& out, const operation& what, const server_clock& clock)
{
    redis::append_word(out, what.holder);
    switch (what.what) {
    case verb::acquire: append_acquire(out, what, clock); break;
    case verb::renew: append_milliseconds(out, what.lease); break;
    case verb::set_count:
        append_milliseconds(out, what.lease);
        if (what.layout == layout::hash) append_number(out, what.count);
        break;
    case verb::keep: append_keep(out, what); break;
    case verb::release: append_release(out, what); break;
    case verb::check: break;
    }
}

outcome senseless(const redis::reply_view& reply)
{
    return {.what = verdict::refused,
            .fence = 0,
            .detail = "a reply that makes no sense: " + std::string{reply.text().substr(0, 100)}};
}

outcome outcome_of_error(std::string_view text)
{
    // Inside a script the server's own word may stand anywhere in the text.
    if (text.find("WRONGTYPE") != std::string_view::npos) {
        return {.what = verdict::not_a_lock, .fence = 0, .detail = std::string{text}};
    }
    auto answered = redis::failure_of_error(text);
    answered.sent = false;  // it was, but nothing is on its way any more
    return outcome_of(answered);
}

outcome outcome_of_acquire(const operation& what, const redis::reply_view& reply)
{
    if (reply.size() != 3) return senseless(reply);
    const auto number = reply[1].integer();
    outcome busy{.what = verdict::busy, .fence = 0, .busy_for = time_left_in(number)};
    busy.queued = what.join;
    switch (const auto code = reply[0].integer()) {
    case 1:
    case 2: {
        const auto fence = fence_in(number);
        if (!fence) return senseless(reply);
        outcome got{.what = verdict::done, .fence = *fence};
        got.found = code == 2;
        return got;
    }
    case 0: return busy;
    case -1:
        return {.what = verdict::unavailable, .fence = 0, .detail = "the request came too late"};
    case -2: busy.holder = core::held_by::foreign; return busy;
    case -3: busy.holder = core::held_by::no_lock; return busy;
    default: return senseless(reply);
    }
}

outcome outcome_of_keep(const redis::reply_view& reply)
{
    if (reply.size() != 3) return senseless(reply);
    const auto fence = fence_in(reply[1].integer());
    switch (reply[0].integer()) {
    case 2: return {.what = verdict::busy};
    case 1:
        if (!fence) return senseless(reply);
        return {.what = verdict::done, .fence = *fence};
    case 0: return {.what = verdict::vanished};
    case -1: return {.what = verdict::taken};
    case -2: return {.what = verdict::superseded};
    default: return senseless(reply);
    }
}

outcome outcome_of_number(const redis::reply_view& reply)
{
    if (reply.type() != redis::resp_type::integer) return senseless(reply);
    switch (reply.integer()) {
    case 1: return {.what = verdict::done};
    case 0: return {.what = verdict::vanished};
    case -1: return {.what = verdict::taken};
    case -2: return {.what = verdict::not_a_lock};
    default: return senseless(reply);
    }
}

}  // namespace

void append_operations(std::string& out, std::span<const operation> what, script_form form,
                       const redis::server_facts& server, const server_clock& clock)
{
    assert(!what.empty());
    assert(what.size() == 1 || what.front().what == verb::renew);
    const auto& first = what.front();
    const bool all_keys = needs_all_keys(first);
    const std::size_t keys = all_keys ? 4 : what.size();
    redis::append_word_count(out, 3 + keys + what.size() * argument_count(first));
    append_script(out, script_for(first), form, server);
    append_number(out, keys);
    if (all_keys) {
        append_all_keys(out, *first.keys);
    } else {
        for (const auto& each : what) redis::append_word(out, each.keys->lock);
    }
    for (const auto& each : what) append_arguments(out, each, clock);
}

std::optional<std::uint64_t> first_trusted_fence(const operation& what,
                                                 const redis::server_facts& server,
                                                 const server_clock& clock)
{
    using std::chrono::microseconds;
    using std::chrono::milliseconds;
    // The answer to a bare acquire does not tell the time, which others need to know.
    constexpr std::chrono::minutes lately{1};
    // A fence is forgotten after twice as long: INCR would begin with 1, and for ever.
    constexpr std::chrono::hours longest{12};
    if (what.known == 0) return std::nullopt;
    if (base::is(base::mutant::bare_fence_unchecked)) return 1;
    if (base::is(base::mutant::bare_fence_from_old_data)) return 1'000'000'000'000'000;
    const auto began = clock.was_at(server.since, what.sent, lately);
    const auto now = clock.was_at(what.sent, what.sent, lately);
    if (!began || !now) return std::nullopt;
    const auto from = microseconds{*began}.count();
    const auto known = static_cast<std::int64_t>(what.known);
    if (from <= 0 || known < from || known < microseconds{*now - longest}.count()) {
        return std::nullopt;
    }
    return static_cast<std::uint64_t>(from);
}

void append_bare_acquire(std::string& out, const operation& what)
{
    redis::append_word_count(out, 6);
    redis::append_word(out, "SET");
    redis::append_word(out, what.keys->lock);
    redis::append_word(out, what.holder);
    redis::append_word(out, "NX");
    redis::append_word(out, "PX");
    append_milliseconds(out, what.lease);
    redis::append_word_count(out, 2);
    redis::append_word(out, "INCR");
    append_key(out, core::fence_prefix, core::key_tail{*what.keys});
}

std::vector<outcome> read_outcomes(std::span<const operation> what, const redis::reply_view& reply)
{
    const auto all = [&](const outcome& same) { return std::vector<outcome>(what.size(), same); };
    const bool acquires = what.front().what == verb::acquire;
    if (reply.is_error()) {
        auto got = outcome_of_error(reply.text());
        // A script that fails half-way, for a missing right say, keeps what it wrote until then.
        got.maybe_executed = acquires && got.what != verdict::unavailable;
        return all(got);
    }
    if (acquires) {
        auto got = outcome_of_acquire(what.front(), reply);
        // An answer without sense may be that to a grant, which is to be taken back.
        got.maybe_executed = got.what == verdict::refused;
        return all(got);
    }
    if (what.front().what == verb::keep) return all(outcome_of_keep(reply));
    if (!replies_with_list(what.front())) return all(outcome_of_number(reply));
    if (reply.size() != what.size()) return all(senseless(reply));
    std::vector<outcome> outcomes;
    outcomes.reserve(what.size());
    reply.for_each(
        [&](const redis::reply_view& each) { outcomes.push_back(outcome_of_number(each)); });
    return outcomes;
}

std::optional<std::uint64_t> read_fence(const redis::reply_view& reply)
{
    return fence_in(reply.integer());
}

std::optional<acquire_time> read_time(const redis::reply_view& reply)
{
    if (reply.size() != 3) return std::nullopt;
    const auto now = server_time_in(reply[2].integer());
    if (!now) return std::nullopt;
    return acquire_time{.now = *now, .too_late = reply[0].integer() == -1};
}

std::optional<message> read_message(std::string_view text)
{
    const auto next_word = [&text] {
        const auto end = std::min(text.find(' '), text.size());
        const auto word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        return word;
    };
    const auto next_number = [&next_word]() -> std::int64_t {
        const auto word = next_word();
        std::int64_t number = 0;
        const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
        return problem == std::errc{} && end == word.data() + word.size() ? number : 0;
    };
    const auto kind = next_word();
    message got;
    if (kind == "grant") {
        got.what = message::kind::grant;
        got.holder = next_word();
        const auto fence = fence_in(next_number());
        const auto time = server_time_in(next_number());
        if (got.holder.empty() || !fence || !time) return std::nullopt;
        got.fence = *fence;
        got.time = *time;
    } else if (kind == "wanted") {
        got.what = message::kind::wanted;
    } else {
        return std::nullopt;
    }
    got.lock = text;
    if (got.lock.empty()) return std::nullopt;
    return got;
}

std::string channel_of(std::string_view client)
{
    return "pawl:client:" + std::string{client};
}

bool is_unknown_script(const redis::reply_view& reply) noexcept
{
    return reply.is_error() && reply.text().starts_with("NOSCRIPT");
}

bool is_refusal(const redis::reply_view& reply)
{
    return reply.is_error() &&
           redis::failure_of_error(reply.text()).what == redis::failure_kind::refused;
}

outcome outcome_of(const redis::failure& why)
{
    outcome got{.what = verdict::unreachable, .fence = 0, .detail = why.detail};
    got.maybe_executed = why.sent;
    switch (why.what) {
    case redis::failure_kind::unreachable: break;
    case redis::failure_kind::nobody_listens: got.no_server = true; break;
    case redis::failure_kind::no_reply: got.what = verdict::no_reply; break;
    case redis::failure_kind::refused: got.what = verdict::refused; break;
    case redis::failure_kind::not_now: got.what = verdict::unavailable; break;
    case redis::failure_kind::cancelled: got.what = verdict::cancelled; break;
    }
    return got;
}

}  // namespace pawl::store
