// The commands of lists.
#include "store/memory/arguments.h"
#include "store/memory/numbers.h"

#include <algorithm>
#include <limits>

namespace pawl::store::memory {
namespace {

enum class side { left, right };

template <side Side>
void push(call& what)
{
    list* const data = look_up_or_add<list>(what, what.words[1]);
    if (!data) return;
    for (const auto word : what.words.subspan(2)) {
        if constexpr (Side == side::left) {
            data->emplace_front(word);
        } else {
            data->emplace_back(word);
        }
    }
    what.out.integer(static_cast<std::int64_t>(data->size()));
}

template <side Side>
void pop_one(call& what, list& data)
{
    if constexpr (Side == side::left) {
        what.out.bulk(data.front());
        data.pop_front();
    } else {
        what.out.bulk(data.back());
        data.pop_back();
    }
}

template <side Side>
void pop(call& what)
{
    if (what.words.size() > 3) {
        return wrong_number_of_words(what, Side == side::left ? "lpop" : "rpop");
    }
    const bool counted = what.words.size() == 3;
    auto count = counted ? count_argument(what, what.words[2]) : 1;
    if (!count) return;
    const auto found = look_up<list>(what, what.words[1]);
    if (found.refused) return;
    if (!found.data) return what.out.null();
    count = std::min(*count, found.data->size());
    if (counted) what.out.array(*count);
    for (; *count > 0; --*count) pop_one<Side>(what, *found.data);
    erase_if_empty(what, what.words[1], *found.data);
}

void lrange(call& what)
{
    const auto first = whole_argument(what, what.words[2]);
    const auto last = first ? whole_argument(what, what.words[3]) : std::nullopt;
    if (!last) return;
    const auto found = look_up<list>(what, what.words[1]);
    if (found.refused) return;
    auto [at, end] = positions(*first, *last, found.data ? found.data->size() : 0);
    what.out.array(end - at);
    for (; at < end; ++at) what.out.bulk((*found.data)[at]);
}

void llen(call& what)
{
    const auto found = look_up<list>(what, what.words[1]);
    if (found.refused) return;
    what.out.integer(found.data ? static_cast<std::int64_t>(found.data->size()) : 0);
}

void lindex(call& what)
{
    const auto found = look_up<list>(what, what.words[1]);
    if (found.refused) return;
    if (!found.data) return what.out.null();
    const auto index = whole_argument(what, what.words[2]);
    if (!index) return;
    const auto size = static_cast<std::int64_t>(found.data->size());
    const auto at = *index < 0 ? *index + size : *index;
    if (at < 0 || at >= size) return what.out.null();
    what.out.bulk((*found.data)[static_cast<std::size_t>(at)]);
}

void lset(call& what)
{
    const auto found = look_up<list>(what, what.words[1]);
    if (found.refused) return;
    if (!found.data) return what.out.error("ERR no such key");
    const auto index = whole_argument(what, what.words[2]);
    if (!index) return;
    const auto size = static_cast<std::int64_t>(found.data->size());
    const auto at = *index < 0 ? *index + size : *index;
    if (at < 0 || at >= size) return what.out.error("ERR index out of range");
    (*found.data)[static_cast<std::size_t>(at)] = what.words[3];
    what.out.status("OK");
}

// The options RANK and MAXLEN of LPOS: which match is wanted, counted from the right if negative, and how
// many elements are compared at most. Zero means all.
struct search {
    std::int64_t rank = 1;
    std::int64_t most = 0;
};

bool read_options(call& what, search& options)
{
    const auto words = what.words.subspan(3);
    for (std::size_t i = 0; i < words.size(); i += 2) {
        const bool is_rank = is_word(words[i], "RANK");
        if ((!is_rank && !is_word(words[i], "MAXLEN")) || i + 1 == words.size()) {
            what.out.error(refusal::syntax);
            return false;
        }
        if (!is_rank) {
            const auto most = to_whole(words[i + 1]);
            if (!most || *most < 0) {
                what.out.error("ERR MAXLEN can't be negative");
                return false;
            }
            options.most = *most;
            continue;
        }
        const auto rank = whole_argument(what, words[i + 1]);
        if (!rank) return false;
        if (*rank == 0) {
            what.out.error(
                "ERR RANK can't be zero: use 1 to start from the first match, 2 from the "
                "second ... or use negative to start from the end of the list");
            return false;
        }
        options.rank = *rank;
    }
    return true;
}

// LPOS, without its option COUNT.
void lpos(call& what)
{
    search options;
    if (!read_options(what, options)) return;
    const auto found = look_up<list>(what, what.words[1]);
    if (found.refused) return;
    if (!found.data) return what.out.null();
    const list& data = *found.data;
    const bool from_right = options.rank < 0;
    const auto size = static_cast<std::int64_t>(data.size());
    const auto most = options.most == 0 ? size : std::min(size, options.most);
    auto left = from_right ? -(options.rank + 1) : options.rank - 1;
    for (std::int64_t i = 0; i < most; ++i) {
        const auto at = from_right ? size - 1 - i : i;
        if (data[static_cast<std::size_t>(at)] != what.words[2] || left-- > 0) continue;
        return what.out.integer(at);
    }
    what.out.null();
}

// Removes the first `count` matches: counted from the right if it is negative, all if it is zero.
void lrem(call& what)
{
    const auto count = whole_argument(what, what.words[2]);
    if (!count) return;
    const auto found = look_up<list>(what, what.words[1]);
    if (found.refused) return;
    if (!found.data) return what.out.integer(0);
    list& data = *found.data;
    if (*count < 0) std::ranges::reverse(data);
    const auto most = *count == 0 || *count == std::numeric_limits<std::int64_t>::min()
                          ? std::numeric_limits<std::int64_t>::max()
                          : std::abs(*count);
    std::int64_t removed = 0;
    std::erase_if(data, [&](const std::string& each) {
        const bool chosen = each == what.words[3] && removed < most;
        removed += chosen ? 1 : 0;
        return chosen;
    });
    if (*count < 0) std::ranges::reverse(data);
    erase_if_empty(what, what.words[1], data);
    what.out.integer(removed);
}

constexpr auto grows = command::writes | command::deny_oom;

constexpr command table[] = {
    {"lindex", 3, command::reads, lindex},
    {"llen", 2, command::reads, llen},
    {"lpop", -2, command::writes, pop<side::left>},
    {"lpush", -3, grows, push<side::left>},
    {"lpos", -3, command::reads, lpos},
    {"lrange", 4, command::reads, lrange},
    {"lrem", 4, command::writes, lrem},
    {"lset", 4, grows, lset},
    {"rpop", -2, command::writes, pop<side::right>},
    {"rpush", -3, grows, push<side::right>},
};

}  // namespace

std::span<const command> list_commands() noexcept
{
    return table;
}

}  // namespace pawl::store::memory
