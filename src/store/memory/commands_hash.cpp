// Hashes.
#include "store/memory/arguments.h"
#include "store/memory/numbers.h"

namespace pawl::store::memory {
namespace {

void hset(call& what)
{
    if (what.words.size() % 2 != 0) return wrong_number_of_words(what, "hset");
    hash* const data = look_up_or_add<hash>(what, what.words[1]);
    if (!data) return;
    std::int64_t added = 0;
    for (std::size_t at = 2; at < what.words.size(); at += 2) {
        added += data->set(what.words[at], what.words[at + 1]) ? 1 : 0;
    }
    what.out.integer(added);
}

void hget(call& what)
{
    const auto found = look_up<hash>(what, what.words[1]);
    if (found.refused) return;
    const auto* const value = found.data ? found.data->find(what.words[2]) : nullptr;
    if (value) {
        what.out.bulk(*value);
    } else {
        what.out.null();
    }
}

void hdel(call& what)
{
    const auto found = look_up<hash>(what, what.words[1]);
    if (found.refused) return;
    if (!found.data) return what.out.integer(0);
    std::int64_t count = 0;
    for (const auto name : what.words.subspan(2)) count += found.data->erase(name) ? 1 : 0;
    erase_if_empty(what, what.words[1], *found.data);
    what.out.integer(count);
}

void hexists(call& what)
{
    const auto found = look_up<hash>(what, what.words[1]);
    if (found.refused) return;
    what.out.integer(found.data && found.data->find(what.words[2]) ? 1 : 0);
}

void hgetall(call& what)
{
    const auto found = look_up<hash>(what, what.words[1]);
    if (found.refused) return;
    what.out.map(found.data ? found.data->size() : 0);
    if (!found.data) return;
    for (const auto& [name, value] : found.data->fields()) {
        what.out.bulk(name);
        what.out.bulk(value);
    }
}

void hlen(call& what)
{
    const auto found = look_up<hash>(what, what.words[1]);
    if (found.refused) return;
    what.out.integer(found.data ? static_cast<std::int64_t>(found.data->size()) : 0);
}

void hincrby(call& what)
{
    const auto by = whole_argument(what, what.words[3]);
    if (!by) return;
    const auto found = look_up<hash>(what, what.words[1]);
    if (found.refused) return;
    const auto* const old = found.data ? found.data->find(what.words[2]) : nullptr;
    auto number = old ? to_whole(*old) : 0;
    if (!number) return what.out.error("ERR hash value is not an integer");
    if (__builtin_add_overflow(*number, *by, &*number)) return what.out.error(refusal::overflow);
    look_up_or_add<hash>(what, what.words[1])->set(what.words[2], number_text{*number}.view());
    what.out.integer(*number);
}

constexpr auto grows = command::writes | command::deny_oom;

constexpr command table[] = {
    {"hdel", -3, command::writes, hdel}, {"hexists", 3, command::reads, hexists},
    {"hget", 3, command::reads, hget},   {"hgetall", 2, command::reads, hgetall},
    {"hincrby", 4, grows, hincrby},      {"hlen", 2, command::reads, hlen},
    {"hset", -4, grows, hset},
};

}  // namespace

std::span<const command> hash_commands() noexcept
{
    return table;
}

}  // namespace pawl::store::memory
