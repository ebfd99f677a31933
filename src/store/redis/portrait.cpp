#include "store/redis/portrait.h"

#include "core/candidate.h"
#include "core/object.h"
#include "store/redis/keys.h"
#include "store/redis/tokens.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace pawl::store {

using std::chrono::microseconds;
using std::chrono::milliseconds;

namespace {

constexpr std::size_t holder_size = 32;
constexpr std::size_t lingering_holder_size = 48;
constexpr std::size_t channel_size = 16;
constexpr std::size_t longest_name = 512;
constexpr std::size_t term_size = 5;

template <class Number>
Number number_in(std::string_view text)
{
    Number number{};
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

std::uint64_t number_in(const std::vector<std::string>& texts)
{
    return texts.empty() ? 0 : number_in<std::uint64_t>(texts.front());
}

// A score may have a fraction or an exponent. Those of pawl have none.
std::int64_t score_in(std::string_view text)
{
    std::int64_t number = 0;
    const auto* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    constexpr std::int64_t longest = 9'000'000'000'000'000'000;
    if (read.ptr == end) return std::clamp(number, -longest, longest);
    double real = 0;
    std::from_chars(text.data(), end, real);
    constexpr double most = 9e18;
    return static_cast<std::int64_t>(std::clamp(real, -most, most));
}

bool is_hexadecimal(std::string_view text) noexcept
{
    return text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

std::string quoted_size(std::uint64_t count, std::string_view what)
{
    return std::to_string(count) + " " + std::string{what};
}

template <class Holder>
Holder with_id(std::string_view id)
{
    Holder one;
    one.id = id;
    one.channel = channel_in_holder(id);
    return one;
}

// A member: the id, and its weight behind it.
template <class Holder>
Holder member(std::string_view text, bool permits)
{
    auto one = with_id<Holder>(text.substr(0, std::min(holder_size, text.size())));
    const auto weight = number_in<std::uint64_t>(text.substr(one.id.size()));
    one.reader = !permits && weight == 1;
    one.weight = permits ? weight : 1;
    return one;
}

// What another program wrote may be any number.
milliseconds lease_of(std::uint64_t left_ms)
{
    constexpr milliseconds most = std::chrono::hours{24} * 365 * 100;
    return left_ms < static_cast<std::uint64_t>(most.count())
               ? milliseconds{static_cast<std::int64_t>(left_ms)}
               : most;
}

// 0 if it cannot be a time.
std::uint64_t possible_fence(std::uint64_t number)
{
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() / 2);
    return number <= most ? number : 0;
}

milliseconds age(std::uint64_t since_us, microseconds now)
{
    const microseconds since{static_cast<std::int64_t>(since_us)};
    return std::chrono::floor<milliseconds>(std::max(now - since, microseconds{0}));
}

}  // namespace

std::string channel_in_holder(std::string_view holder)
{
    const bool fits = (holder.size() == holder_size || holder.size() == lingering_holder_size) &&
                      holder.starts_with('p') && is_hexadecimal(holder.substr(1));
    // A part of a lock set has its id in upper case. The channel is that of its client.
    return fits ? core::whole_holder(holder).substr(holder.size() - channel_size) : "";
}

portrait::portrait(std::string name, const portrait_settings& how) : how_{how}
{
    got_.name = std::move(name);
}

std::vector<command> portrait::next() const
{
    switch (step_) {
    case step::type: return {{"TYPE", got_.name}, {"PTTL", got_.name}};
    case step::value: return questions_of_value();
    case step::field: return {{"HGETALL", got_.name}};
    case step::around: return questions_around();
    case step::complete: break;
    }
    return {};
}

std::vector<command> portrait::questions_of_value() const
{
    const auto& name = got_.name;
    if (type_ == "string") return {{"GETRANGE", name, "0", std::to_string(longest_name)}};
    if (type_ == "hash") return {{"HLEN", name}, {"HGET", name, "gate"}};
    if (type_ == "zset") {
        // The numbers are at the lower end, and the holders whose leases end last at the upper one.
        // Holders whose leases have ended are in between.
        return {{"ZRANGE", name, "0", "2", "WITHSCORES"},
                {"ZCARD", name},
                {"ZRANGE", name, "-" + std::to_string(how_.most_holders), "-1", "WITHSCORES"}};
    }
    return {{"LLEN", name}, {"LRANGE", name, "0", "2"}};
}

std::vector<command> portrait::questions_around() const
{
    const auto& name = got_.name;
    std::vector<command> all{{"GETRANGE", fence_key(name), "0", "20"},
                             {"GETRANGE", mark_key(name), "0", std::to_string(longest_name)}};
    const auto last = [](std::size_t count) { return std::to_string(count - 1); };
    if (how_.of_quorum) {
        all.push_back({"ZCARD", tickets_key(name)});
        if (how_.most_waiters > 0) {
            all.push_back(
                {"ZRANGE", tickets_key(name), "0", last(how_.most_waiters), "WITHSCORES"});
        }
        return all;
    }
    all.push_back({"LLEN", queue_key(name)});
    if (how_.most_waiters > 0) {
        all.push_back({"LRANGE", queue_key(name), "0", last(2 * how_.most_waiters)});
    }
    return all;
}

void portrait::read(std::span<const command_reply> said)
{
    switch (step_) {
    case step::type: read_type(said); return;
    case step::value: read_value(said); return;
    case step::field:
        step_ = step::around;
        if (!refused(said, "the holder")) read_field(said[0].texts);
        return;
    case step::around: read_around(said); return;
    case step::complete: return;
    }
}

// Notes the first command that was refused.
bool portrait::refused(std::span<const command_reply> said, std::string_view what)
{
    const auto bad =
        std::ranges::find_if(said, [](const auto& each) { return each.problem.has_value(); });
    if (bad == said.end() && !said.empty()) return false;
    const auto why = said.empty() ? "no answer" : bad->problem->detail;
    got_.notes.push_back(std::string{what} + " is not known: " + why);
    return true;
}

void portrait::be_other(std::string detail)
{
    got_.kind = lock_kind::not_a_lock;
    got_.detail = std::move(detail);
    step_ = how_.foreign ? step::around : step::complete;
}

void portrait::be_foreign(std::string_view holder, std::string detail)
{
    got_.kind = lock_kind::foreign;
    got_.detail = std::move(detail);
    got_.holders = {with_id<holder_info>(holder)};
    step_ = how_.foreign ? step::around : step::complete;
}

void portrait::read_type(std::span<const command_reply> said)
{
    step_ = step::complete;
    got_.kind = lock_kind::unknown;
    if (refused(said, "the key") || said.size() != 2 || said[0].texts.empty()) return;
    type_ = said[0].texts[0];
    const auto left = said[1].texts.empty() ? -1 : number_in<std::int64_t>(said[1].texts[0]);
    has_end_ = left >= 0;
    if (has_end_) got_.lease_left = lease_of(static_cast<std::uint64_t>(left));
    step_ = step::value;
    if (type_ == "none" || left == -2) {
        got_.kind = lock_kind::free;
        step_ = step::around;
    } else if (type_ != "string" && type_ != "hash" && type_ != "zset" && type_ != "list") {
        be_other("a value of the type " + type_);
    }
}

void portrait::read_value(std::span<const command_reply> said)
{
    step_ = step::around;
    got_.kind = lock_kind::unknown;
    const auto is_gone = [](const auto& each) {
        return each.problem && each.problem->what == core::failure_kind::not_a_lock;
    };
    // The key has changed its type since: it belongs to someone else by now.
    if (std::ranges::any_of(said, is_gone)) {
        be_other("a value that has just changed its type");
        return;
    }
    if (refused(said, "the value")) return;
    if (type_ == "string") {
        read_string(said[0].texts.empty() ? "" : said[0].texts[0]);
    } else if (type_ == "hash") {
        read_hash(said[0].texts, said[1].texts);
    } else if (type_ == "zset") {
        read_members(said[0].texts, said[1].texts, said[2].texts);
    } else {
        read_term(said[0].texts, said[1].texts);
    }
}

void portrait::read_string(const std::string& value)
{
    if (value.empty()) {
        // It was released after its type was read; or it is an empty value.
        got_.kind = has_end_ ? lock_kind::free : lock_kind::not_a_lock;
        return;
    }
    if (!channel_in_holder(value).empty()) {
        got_.kind = lock_kind::mutex;
        got_.holders = {with_id<holder_info>(value)};
    } else if (value.size() > longest_name) {
        be_other("a string of more than 512 bytes");
    } else if (looks_like_holder(value)) {
        be_foreign(value, has_end_ ? "a string with an expiry: the lock of another library"
                                   : "a string that looks like the token of a lock");
    } else if (has_end_ && how_.any_string) {
        be_foreign(value, "a string with an expiry: pawl takes it for the lock of another program");
    } else {
        be_other(has_end_ ? "a string that does not look like the token of a lock"
                          : "a string without an expiry that does not look like the token of a "
                            "lock");
    }
}

void portrait::read_hash(const std::vector<std::string>& size, const std::vector<std::string>& gate)
{
    const auto fields = number_in(size);
    if (!gate.empty()) {
        read_gate(gate[0]);
    } else if (fields == 1) {
        step_ = step::field;
    } else {
        be_other("a hash with " + quoted_size(fields, "fields"));
    }
}

// Seven words: the kind, for how many it was made, how many open it, how many are missing, the phase, …
void portrait::read_gate(std::string_view text)
{
    std::vector<std::string_view> words;
    while (!text.empty()) {
        const auto end = std::min(text.find(' '), text.size());
        words.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    constexpr std::size_t gate_words = 7;
    const bool is_latch = !words.empty() && words[0] == "latch";
    if (words.size() != gate_words || (!is_latch && words[0] != "barrier")) {
        be_other("a hash with a field `gate` of another program");
        return;
    }
    got_.kind = is_latch ? lock_kind::latch : lock_kind::barrier;
    const auto expected = number_in<std::uint64_t>(words[2]);
    const auto missing = number_in<std::uint64_t>(words[3]);
    got_.counts = counts_info{.capacity = expected, .used = expected - std::min(missing, expected)};
}

void portrait::read_field(const std::vector<std::string>& fields)
{
    if (fields.size() != 2) {
        be_other("a hash of another program");
        return;
    }
    const auto count = number_in<std::uint64_t>(fields[1]);
    if (!channel_in_holder(fields[0]).empty() && count > 0) {
        got_.kind = lock_kind::recursive_mutex;
        got_.holders = {with_id<holder_info>(fields[0])};
        got_.holders[0].weight = count;
    } else if (looks_like_holder(fields[0]) && count > 0) {
        be_foreign(fields[0], "a hash with one holder: the lock of another library");
    } else {
        be_other("a hash with one field that is no holder");
    }
}

void portrait::read_members(const std::vector<std::string>& lowest,
                            const std::vector<std::string>& size,
                            const std::vector<std::string>& members)
{
    std::optional<std::uint64_t> out;
    std::optional<std::uint64_t> capacity;
    std::uint64_t numbers = 0;
    for (std::size_t i = 0; i + 1 < lowest.size(); i += 2) {
        const auto score = score_in(lowest[i + 1]);
        if (score > 0) continue;
        ++numbers;
        const auto number = static_cast<std::uint64_t>(-score);
        if (lowest[i] == "out") out = number;
        if (lowest[i] == "capacity" || lowest[i] == "resized") capacity = number;
    }
    if (!out) {
        be_other("a sorted set with " + quoted_size(number_in(size), "members"));
        return;
    }
    got_.kind = capacity ? lock_kind::counting_semaphore : lock_kind::shared_mutex;
    if (capacity) got_.counts = counts_info{.capacity = *capacity, .used = *out};
    for (std::size_t i = 0; i + 1 < members.size(); i += 2) {
        const auto score = score_in(members[i + 1]);
        if (score <= 0) continue;
        got_.holders.push_back(member<holder_info>(members[i], capacity.has_value()));
        ends_.push_back(static_cast<std::uint64_t>(score));
    }
    got_.holder_count = number_in(size) - std::min(number_in(size), numbers);
}

void portrait::read_term(const std::vector<std::string>& size,
                         const std::vector<std::string>& elements)
{
    const auto length = number_in(size);
    if (length != term_size || elements.size() != 3 || channel_in_holder(elements[0]).empty()) {
        be_other("a list with " + quoted_size(length, "elements"));
        return;
    }
    got_.kind = lock_kind::leader;
    got_.holders = {with_id<holder_info>(elements[0])};
    got_.payload = core::candidate_in(elements[1]).payload;
    got_.fence = possible_fence(number_in<std::uint64_t>(elements[2]));
}

void portrait::read_around(std::span<const command_reply> said)
{
    step_ = step::complete;
    constexpr std::size_t numbers = 3;
    if (said.size() < numbers) {
        got_.notes.emplace_back("the queue is not known: no answer");
        return;
    }
    const auto fence = said.subspan(0, 1);
    const auto mark = said.subspan(1, 1);
    if (!refused(fence, "the fence") && got_.fence == 0) {
        got_.fence = possible_fence(number_in(said[0].texts));
    }
    if (!refused(mark, "the mark") && !said[1].texts.empty()) got_.mark = said[1].texts[0];
    if (refused(said.subspan(2), "the queue")) return;
    got_.waiters = number_in(said[2].texts) / (how_.of_quorum ? 1 : 2);
    if (said.size() > numbers) read_queue(said[3].texts);
}

// Pairs: the holder id of a waiter, and its place; at a node its ticket.
void portrait::read_queue(const std::vector<std::string>& texts)
{
    const bool members =
        got_.kind == lock_kind::shared_mutex || got_.kind == lock_kind::counting_semaphore;
    for (std::size_t i = 0; i + 1 < texts.size(); i += 2) {
        auto one = members ? member<waiter_info>(texts[i], got_.kind != lock_kind::shared_mutex)
                           : with_id<waiter_info>(texts[i]);
        if (how_.of_quorum) {
            tickets_.push_back(
                static_cast<std::uint64_t>(std::max<std::int64_t>(score_in(texts[i + 1]), 0)));
        } else {
            const std::string_view place{texts[i + 1]};
            constexpr std::size_t time_size = 13;
            constexpr std::size_t lease_at = 34;
            places_.push_back(number_in<std::uint64_t>(place.substr(0, time_size)));
            if (place.size() > time_size + 1 + channel_size) {
                one.channel = place.substr(time_size + 1, channel_size);
            }
            const auto space = place.find(' ', lease_at);
            if (space != std::string_view::npos) {
                one.candidate = core::candidate_in(place.substr(space + 1)).name;
            }
        }
        got_.queue.push_back(std::move(one));
    }
}

lock_info portrait::take(microseconds now)
{
    const auto now_ms = static_cast<std::uint64_t>(now / milliseconds{1});
    if (!ends_.empty()) {
        for (std::size_t i = 0; i < ends_.size(); ++i) {
            const auto left = std::max(ends_[i], now_ms) - now_ms;
            got_.holders[i].lease_left = lease_of(left);
        }
        // Those whose leases have ended are in the set until a script removes them.
        const auto is_over = [](const auto& each) { return each.lease_left->count() == 0; };
        const auto gone = std::erase_if(got_.holders, is_over);
        // Those that were not read end sooner than all that were.
        if (gone > 0) got_.holder_count = got_.holders.size();
    } else {
        got_.holder_count = got_.holders.size();
        for (auto& each : got_.holders) each.lease_left = got_.lease_left;
    }
    for (std::size_t i = 0; i < places_.size(); ++i) got_.queue[i].present = places_[i] >= now_ms;
    for (std::size_t i = 0; i < tickets_.size(); ++i) {
        // The ticket of a waiter that has heard no clock is far in the future.
        const bool known = microseconds{static_cast<std::int64_t>(tickets_[i])} <= now;
        if (known) got_.queue[i].waited = age(tickets_[i], now);
    }
    date(now);
    const bool ran = got_.kind == lock_kind::mutex || got_.kind == lock_kind::free;
    if (ran && !got_.mark.empty()) got_.kind = lock_kind::once_per;
    return std::move(got_);
}

// The fence is the time of the last grant. A number that was set aside may be a little ahead of the clock.
void portrait::date(microseconds now)
{
    const microseconds fence{static_cast<std::int64_t>(got_.fence)};
    constexpr std::chrono::seconds set_aside{1};
    if (got_.fence == 0 || fence > now + set_aside || got_.holders.size() != 1) return;
    if (got_.holders[0].reader || got_.holder_count != 1 || got_.kind == lock_kind::foreign) return;
    if (got_.holders[0].channel.empty()) return;
    got_.holders[0].held_for = age(got_.fence, now);
}

}  // namespace pawl::store
