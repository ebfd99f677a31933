// Sorted sets: adding, removing and single members. Ranges are in sorted_range.cpp.
#include "store/memory/arguments.h"
#include "store/memory/numbers.h"
#include "store/memory/sorted_range.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pawl::store::memory {
namespace {

struct add_options {
    bool only_new = false;
    bool only_old = false;
    bool if_greater = false;
    bool if_less = false;
    bool counts_changes = false;
    bool increments = false;
};

// Removes the options from the front of `words`.
add_options read_options(std::span<const std::string_view>& words)
{
    add_options options;
    for (; !words.empty(); words = words.subspan(1)) {
        const auto word = words.front();
        if (is_word(word, "NX")) {
            options.only_new = true;
        } else if (is_word(word, "XX")) {
            options.only_old = true;
        } else if (is_word(word, "GT")) {
            options.if_greater = true;
        } else if (is_word(word, "LT")) {
            options.if_less = true;
        } else if (is_word(word, "CH")) {
            options.counts_changes = true;
        } else if (is_word(word, "INCR")) {
            options.increments = true;
        } else {
            break;
        }
    }
    return options;
}

// Empty if the options are valid.
std::string_view problem_of(const add_options& options, std::size_t words) noexcept
{
    if (words == 0 || words % 2 != 0) return refusal::syntax;
    if (options.only_new && options.only_old) {
        return "ERR XX and NX options at the same time are not compatible";
    }
    if ((options.only_new && (options.if_greater || options.if_less)) ||
        (options.if_greater && options.if_less)) {
        return "ERR GT, LT, and/or NX options at the same time are not compatible";
    }
    if (options.increments && words > 2) {
        return "ERR INCR option supports a single increment-element pair";
    }
    return {};
}

struct added {
    std::int64_t members = 0;
    std::int64_t changes = 0;
    std::optional<double> score;  // of the last member, if the options allowed a change
};

// False if the resulting score is not a number.
bool add_one(sorted_set& data, std::string_view name, double score, const add_options& options,
             added& result)
{
    result.score.reset();
    const auto at = data.rank(name);
    if (at ? options.only_new : options.only_old) return true;
    if (at) {
        const double old = data.members()[*at].score;
        if (options.increments) score += old;
        if (std::isnan(score)) return false;
        if ((options.if_less && score >= old) || (options.if_greater && score <= old)) return true;
        if (score != old) ++result.changes;
    } else {
        ++result.members;
    }
    data.set(name, score + 0.0);  // turns -0 into 0
    result.score = score;
    return true;
}

void reply_with(call& what, const add_options& options, const added& result)
{
    if (!options.increments) {
        what.out.integer(result.members + (options.counts_changes ? result.changes : 0));
    } else if (result.score) {
        what.out.real(*result.score);
    } else {
        what.out.null();
    }
}

void zadd(call& what)
{
    auto words = what.words.subspan(2);
    const auto options = read_options(words);
    if (const auto problem = problem_of(options, words.size()); !problem.empty()) {
        return what.out.error(problem);
    }
    std::vector<double> scores;
    for (std::size_t at = 0; at < words.size(); at += 2) {
        const auto score = to_real(words[at]);
        if (!score) return what.out.error("ERR value is not a valid float");
        scores.push_back(*score);
    }
    const auto found = look_up<sorted_set>(what, what.words[1]);
    if (found.refused) return;
    added result;
    if (!found.data && options.only_old) return reply_with(what, options, result);
    sorted_set& data = *look_up_or_add<sorted_set>(what, what.words[1]);
    for (std::size_t at = 0; at < scores.size(); ++at) {
        if (!add_one(data, words[2 * at + 1], scores[at], options, result)) {
            return what.out.error("ERR resulting score is not a number (NaN)");
        }
    }
    reply_with(what, options, result);
}

void zrem(call& what)
{
    const auto found = look_up<sorted_set>(what, what.words[1]);
    if (found.refused) return;
    if (!found.data) return what.out.integer(0);
    std::int64_t removed = 0;
    for (const auto name : what.words.subspan(2)) {
        if (const auto at = found.data->rank(name)) {
            found.data->erase(*at);
            ++removed;
        }
    }
    erase_if_empty(what, what.words[1], *found.data);
    what.out.integer(removed);
}

void zscore(call& what)
{
    const auto found = look_up<sorted_set>(what, what.words[1]);
    if (found.refused) return;
    const auto at = found.data ? found.data->rank(what.words[2]) : std::nullopt;
    if (!at) return what.out.null();
    what.out.real(found.data->members()[*at].score);
}

void zrank(call& what)
{
    const auto found = look_up<sorted_set>(what, what.words[1]);
    if (found.refused) return;
    const auto at = found.data ? found.data->rank(what.words[2]) : std::nullopt;
    if (!at) return what.out.null();
    what.out.integer(static_cast<std::int64_t>(*at));
}

void zcard(call& what)
{
    const auto found = look_up<sorted_set>(what, what.words[1]);
    if (found.refused) return;
    what.out.integer(found.data ? static_cast<std::int64_t>(found.data->size()) : 0);
}

constexpr auto grows = command::writes | command::deny_oom;

constexpr command table[] = {
    {"zadd", -4, grows, zadd},
    {"zcard", 2, command::reads, zcard},
    {"zpopmin", -2, command::writes, zpopmin},
    {"zrange", -4, command::reads, zrange},
    {"zrangebyscore", -4, command::reads, zrangebyscore},
    {"zrank", 3, command::reads, zrank},
    {"zrem", -3, command::writes, zrem},
    {"zremrangebyscore", 4, command::writes, zremrangebyscore},
    {"zscore", 3, command::reads, zscore},
};

}  // namespace

std::span<const command> sorted_set_commands() noexcept
{
    return table;
}

}  // namespace pawl::store::memory
