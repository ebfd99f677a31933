#include "store/redis/wire.h"

#include "store/redis/json_text.h"

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

// Long enough to outlive any step of the server's clock that a person would make, and short enough
// that a million locks that are never used again are forgotten within a day.
constexpr std::chrono::milliseconds fence_lifetime = std::chrono::hours{24};

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

std::string milliseconds_text(std::chrono::milliseconds value)
{
    return std::to_string(value.count());
}

// The words of one EVALSHA or EVAL; numbers live in `numbers`.
class script_words {
public:
    script_words(const script& which, script_form form, const redis::server_facts& server,
                 std::size_t keys)
    {
        const bool flags = server.knows_script_flags();
        if (form == script_form::by_sha) {
            words_ = {"EVALSHA", flags ? which.sha : which.sha_without_flags};
        } else {
            words_ = {"EVAL", flags ? which.text : which.text_without_flags()};
        }
        numbers_.reserve(2 * keys + 8);  // never moves: the words point into it
        number(std::to_string(keys));
    }

    void word(std::string_view text) { words_.push_back(text); }

    void number(std::string text)
    {
        assert(numbers_.size() < numbers_.capacity());
        words_.push_back(numbers_.emplace_back(std::move(text)));
    }

    [[nodiscard]] std::span<const std::string_view> get() const noexcept { return words_; }

private:
    std::vector<std::string_view> words_;
    std::vector<std::string> numbers_;
};

std::string_view flag(bool set)
{
    return set ? "1" : "0";
}

void append_acquire(script_words& words, const operation& what, const server_clock& clock)
{
    words.number(milliseconds_text(what.lease));
    words.word(flag(what.repeated));
    words.number(milliseconds_text(clock.at(what.until).value_or(std::chrono::milliseconds{0})));
    words.word(flag(what.join));
    words.word(flag(what.fair));
    words.number(milliseconds_text(what.stay));
    words.word(what.client);
    words.number(std::to_string(what.reserve));
}

// What comes before and after the time, as document 003 wants it.
void append_announcement(script_words& words, const operation& what)
{
    if (!what.announce) {
        words.word({});
        words.word({});
        return;
    }
    words.number("{\"lockKey\":" + json_text(what.keys->lock) + ",\"releaseTime\":");
    words.number(",\"holder\":" + json_text(what.holder) + "}");
}

void append_arguments(script_words& words, const operation& what, const server_clock& clock)
{
    words.word(what.holder);
    if (needs_all_keys(what)) words.number(milliseconds_text(fence_lifetime));
    switch (what.what) {
    case verb::acquire: append_acquire(words, what, clock); break;
    case verb::renew: words.number(milliseconds_text(what.lease)); break;
    case verb::set_count:
        words.number(milliseconds_text(what.lease));
        if (what.layout == layout::hash) words.number(std::to_string(what.count));
        break;
    case verb::keep:
        words.number(std::to_string(what.used));
        words.number(milliseconds_text(what.lease));
        words.number(std::to_string(what.reserve));
        words.number(std::to_string(what.reserved));
        append_announcement(words, what);
        break;
    case verb::release:
        words.number(std::to_string(what.used));
        words.word(flag(what.has_reserve));
        words.word(what.place);
        append_announcement(words, what);
        break;
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
    return outcome_of(redis::failure_of_error(text), false);
}

outcome outcome_of_acquire(const operation& what, const redis::reply_view& reply)
{
    if (reply.size() != 3) return senseless(reply);
    const auto code = reply[0].integer();
    const auto number = reply[1].integer();
    if ((code == 1 || code == 2) && number > 0) {
        outcome got{.what = verdict::done, .fence = static_cast<std::uint64_t>(number)};
        got.found = code == 2;
        return got;
    }
    if (code == -1) {
        return {.what = verdict::unavailable, .fence = 0, .detail = "the request came too late"};
    }
    if (code != 0) return senseless(reply);
    outcome got{.what = verdict::busy, .fence = 0, .busy_for = std::chrono::milliseconds{number}};
    got.queued = what.join;
    return got;
}

outcome outcome_of_keep(const redis::reply_view& reply)
{
    if (reply.size() != 3) return senseless(reply);
    const auto number = reply[1].integer();
    switch (reply[0].integer()) {
    case 2: return {.what = verdict::busy};
    case 1:
        if (number <= 0) return senseless(reply);
        return {.what = verdict::done, .fence = static_cast<std::uint64_t>(number)};
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
    script_words words{script_for(first), form, server, all_keys ? 4 : what.size()};
    for (const auto& each : what) words.word(each.keys->lock);
    if (all_keys) {
        words.word(first.keys->fence);
        words.word(first.keys->queue);
        words.word(first.keys->waiters);
    }
    for (const auto& each : what) append_arguments(words, each, clock);
    redis::append_request(out, words.get());
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
    if (acquires) return all(outcome_of_acquire(what.front(), reply));
    if (what.front().what == verb::keep) return all(outcome_of_keep(reply));
    if (!replies_with_list(what.front())) return all(outcome_of_number(reply));
    if (reply.size() != what.size()) return all(senseless(reply));
    std::vector<outcome> outcomes;
    outcomes.reserve(what.size());
    reply.for_each(
        [&](const redis::reply_view& each) { outcomes.push_back(outcome_of_number(each)); });
    return outcomes;
}

std::optional<acquire_time> read_time(const redis::reply_view& reply)
{
    if (reply.size() != 3) return std::nullopt;
    return acquire_time{.now = std::chrono::milliseconds{reply[2].integer()},
                        .too_late = reply[0].integer() == -1};
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
        got.fence = next_number();
        got.time = std::chrono::milliseconds{next_number()};
        if (got.holder.empty() || got.fence <= 0 || got.time.count() <= 0) return std::nullopt;
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

outcome outcome_of(const redis::failure& why, bool sent)
{
    outcome got{.what = verdict::unreachable, .fence = 0, .detail = why.detail};
    got.maybe_executed = sent;
    switch (why.what) {
    case redis::failure_kind::unreachable: break;
    case redis::failure_kind::no_reply: got.what = verdict::no_reply; break;
    case redis::failure_kind::refused: got.what = verdict::refused; break;
    case redis::failure_kind::not_now: got.what = verdict::unavailable; break;
    case redis::failure_kind::cancelled: got.what = verdict::cancelled; break;
    }
    return got;
}

}  // namespace pawl::store
