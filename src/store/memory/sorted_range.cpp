#include "store/memory/sorted_range.h"

#include "store/memory/arguments.h"
#include "store/memory/numbers.h"

#include <algorithm>

namespace pawl::store::memory {
namespace {

struct range_options {
    bool by_score = false;
    bool reversed = false;
    bool with_scores = false;
    std::int64_t skipped = 0;
    std::int64_t most = -1;  // negative: no limit
};

// False if the words are wrong. The reply is an error then.
bool read_limit(call& what, std::span<const std::string_view> words, range_options& options)
{
    const auto skipped = whole_argument(what, words[0]);
    const auto most = skipped ? whole_argument(what, words[1]) : std::nullopt;
    if (!most) return false;
    options.skipped = *skipped;
    options.most = *most;
    return true;
}

bool read_options(call& what, bool has_all_options, range_options& options)
{
    const auto words = what.words.subspan(4);
    for (std::size_t at = 0; at < words.size(); ++at) {
        if (is_word(words[at], "WITHSCORES")) {
            options.with_scores = true;
        } else if (is_word(words[at], "LIMIT") && at + 2 < words.size()) {
            if (!read_limit(what, words.subspan(at + 1, 2), options)) return false;
            at += 2;
        } else if (has_all_options && !options.reversed && is_word(words[at], "REV")) {
            options.reversed = true;
        } else if (has_all_options && !options.by_score && is_word(words[at], "BYSCORE")) {
            options.by_score = true;
        } else {
            what.out.error(refusal::syntax);
            return false;
        }
    }
    // A limit of -1 means no limit.
    if (options.most != -1 && !options.by_score) {
        what.out.error(
            "ERR syntax error, LIMIT is only supported in combination with either "
            "BYSCORE or BYLEX");
        return false;
    }
    return true;
}

// (5 means that 5 itself is excluded. Unlike a score, an empty text is 0, and a value that is too
// large is infinite. Redis does the same.
bool read_bound(std::string_view word, double& bound, bool& excluded)
{
    excluded = word.starts_with('(');
    if (excluded) word.remove_prefix(1);
    const auto number = word.empty() ? 0.0 : to_real(word, beyond_range::is_infinite);
    bound = number.value_or(0);
    return number.has_value();
}

std::optional<sorted_set::interval> read_interval(call& what, std::string_view min,
                                                  std::string_view max)
{
    sorted_set::interval scores;
    if (!read_bound(min, scores.min, scores.min_excluded) ||
        !read_bound(max, scores.max, scores.max_excluded)) {
        what.out.error("ERR min or max is not a float");
        return std::nullopt;
    }
    return scores;
}

// For RESP2, members and scores follow one another. For RESP3, they are pairs.
void reply_with_scored(call& what, const sorted_set::member& member)
{
    if (what.out.is_resp3()) what.out.array(2);
    what.out.bulk(member.name);
    what.out.real(member.score);
}

// Replies with the members from `at` to before `end`, in this order or in reverse.
void reply_with(call& what, const sorted_set& data, std::size_t at, std::size_t end,
                const range_options& options)
{
    const auto count = end - at;
    what.out.array(options.with_scores && !what.out.is_resp3() ? 2 * count : count);
    for (std::size_t done = 0; done < count; ++done) {
        const auto& member = data.members()[options.reversed ? end - 1 - done : at + done];
        if (options.with_scores) {
            reply_with_scored(what, member);
        } else {
            what.out.bulk(member.name);
        }
    }
}

void range_by_rank(call& what, const range_options& options)
{
    const auto first = whole_argument(what, what.words[2]);
    const auto last = first ? whole_argument(what, what.words[3]) : std::nullopt;
    if (!last) return;
    const auto found = look_up<sorted_set>(what, what.words[1]);
    if (found.refused) return;
    if (!found.data) return what.out.array(0);
    const auto size = found.data->size();
    auto [at, end] = positions(*first, *last, size);
    if (options.reversed && end > at) std::tie(at, end) = std::pair{size - end, size - at};
    reply_with(what, *found.data, at, end, options);
}

void range_by_score(call& what, const range_options& options)
{
    const auto low = what.words[options.reversed ? 3 : 2];
    const auto high = what.words[options.reversed ? 2 : 3];
    const auto scores = read_interval(what, low, high);
    if (!scores) return;
    const auto found = look_up<sorted_set>(what, what.words[1]);
    if (found.refused) return;
    if (!found.data) return what.out.array(0);
    auto [at, end] = found.data->within(*scores);
    if (options.skipped < 0) return what.out.array(0);
    const auto skipped = std::min(end - at, static_cast<std::size_t>(options.skipped));
    const auto rest = end - at - skipped;
    const auto count =
        options.most < 0 ? rest : std::min(rest, static_cast<std::size_t>(options.most));
    if (options.reversed) {
        end -= skipped;
        at = end - count;
    } else {
        at += skipped;
        end = at + count;
    }
    reply_with(what, *found.data, at, end, options);
}

}  // namespace

void zrange(call& what)
{
    range_options options;
    if (!read_options(what, true, options)) return;
    if (options.by_score) {
        range_by_score(what, options);
    } else {
        range_by_rank(what, options);
    }
}

void zrangebyscore(call& what)
{
    range_options options;
    options.by_score = true;
    if (read_options(what, false, options)) range_by_score(what, options);
}

void zremrangebyscore(call& what)
{
    const auto scores = read_interval(what, what.words[2], what.words[3]);
    if (!scores) return;
    const auto found = look_up<sorted_set>(what, what.words[1]);
    if (found.refused) return;
    if (!found.data) return what.out.integer(0);
    const auto [at, end] = found.data->within(*scores);
    found.data->erase(at, end - at);
    erase_if_empty(what, what.words[1], *found.data);
    what.out.integer(static_cast<std::int64_t>(end - at));
}

void zpopmin(call& what)
{
    if (what.words.size() > 3) return what.out.error(refusal::syntax);
    const bool counted = what.words.size() == 3;
    auto count = counted ? count_argument(what, what.words[2]) : 1;
    if (!count) return;
    const auto found = look_up<sorted_set>(what, what.words[1]);
    if (found.refused) return;
    if (!found.data) return what.out.array(0);
    count = std::min(*count, found.data->size());
    if (counted) {
        reply_with(what, *found.data, 0, *count, {.with_scores = true});
    } else {
        what.out.array(2);
        what.out.bulk(found.data->members().front().name);
        what.out.real(found.data->members().front().score);
    }
    found.data->erase(0, *count);
    erase_if_empty(what, what.words[1], *found.data);
}

}  // namespace pawl::store::memory
