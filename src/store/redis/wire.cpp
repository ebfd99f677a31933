#include "store/redis/wire.h"

#include <cassert>
#include <chrono>
#include <string_view>

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
    case verb::release: break;
    }
    return plain ? scripts::plain_release : scripts::hash_release;
}

bool replies_with_list(const operation& what)
{
    return what.what == verb::renew ||
           (what.what == verb::set_count && what.layout == layout::plain);
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
        numbers_.reserve(1 + 2 * keys + 3);  // never moves: the words point into it
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

void append_arguments(script_words& words, const operation& what, const server_clock& clock)
{
    words.word(what.holder);
    if (what.what == verb::check || what.what == verb::release) return;
    words.number(milliseconds_text(what.lease));
    if (what.what == verb::acquire) {
        words.number(milliseconds_text(fence_lifetime));
        words.word(what.repeated ? "1" : "0");
        words.number(
            milliseconds_text(clock.at(what.until).value_or(std::chrono::milliseconds{0})));
    } else if (what.what == verb::set_count && what.layout == layout::hash) {
        words.number(std::to_string(what.count));
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

outcome outcome_of_acquire(const redis::reply_view& reply)
{
    if (reply.size() != 3) return senseless(reply);
    const auto number = reply[1].integer();
    if (reply[0].integer() == 1 && number > 0) {
        return {.what = verdict::done, .fence = static_cast<std::uint64_t>(number)};
    }
    if (reply[0].integer() == -1) {
        return {.what = verdict::unavailable, .fence = 0, .detail = "the request came too late"};
    }
    if (reply[0].integer() != 0) return senseless(reply);
    return {.what = verdict::busy, .fence = 0, .busy_for = std::chrono::milliseconds{number}};
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
    const bool needs_fence = first.what == verb::acquire;
    script_words words{script_for(first), form, server, what.size() + (needs_fence ? 1 : 0)};
    for (const auto& each : what) words.word(each.keys->lock);
    if (needs_fence) words.word(first.keys->fence);
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
    if (acquires) return all(outcome_of_acquire(reply));
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
