#include "sim/script_call.h"

#include "redis/resp.h"
#include "redis/scripts.h"
#include "store/redis/reading.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

namespace pawl::sim {
namespace {

using kind = script_call::kind;

const std::array<std::pair<const redis::script*, kind>, 18>& known_scripts()
{
    namespace scripts = redis::scripts;
    static const std::array<std::pair<const redis::script*, kind>, 18> known{{
        {&scripts::plain_acquire, kind::acquire},
        {&scripts::hash_acquire, kind::acquire},
        {&scripts::plain_renew, kind::renew},
        {&scripts::hash_renew, kind::renew},
        {&scripts::plain_keep, kind::keep},
        {&scripts::hash_keep, kind::keep},
        {&scripts::plain_release, kind::release},
        {&scripts::hash_release, kind::release},
        {&scripts::hash_set_count, kind::set_count},
        {&scripts::plain_check, kind::check},
        {&scripts::hash_check, kind::check},
        {&scripts::members_acquire, kind::acquire},
        {&scripts::members_renew, kind::renew},
        {&scripts::members_check, kind::check},
        {&scripts::members_release, kind::release},
        {&scripts::members_exchange, kind::exchange},
        {&scripts::once_acquire, kind::acquire},
        {&scripts::once_release, kind::release},
    }};
    return known;
}

std::int64_t number_in(std::string_view word)
{
    std::int64_t number = 0;
    std::from_chars(word.data(), word.data() + word.size(), number);
    return number;
}

}  // namespace

bool script_call::joins() const
{
    return number_in(arguments[2]) % 4 >= 2;
}

bool script_call::is_fair() const
{
    return number_in(arguments[2]) % 8 >= 4;
}

std::chrono::milliseconds script_call::kept_until() const
{
    return std::chrono::milliseconds{number_in(arguments[3].substr(0, 13))};
}

std::string_view script_call::client() const
{
    return arguments[3].substr(14, 16);
}

std::string_view name_of(kind what)
{
    switch (what) {
    case kind::acquire: return "acquire";
    case kind::set_count: return "count";
    case kind::renew: return "renewal";
    case kind::check: return "check";
    case kind::keep: return "keep";
    case kind::exchange: return "exchange";
    case kind::release: break;
    }
    return "release";
}

std::int64_t code_of(std::string_view reply, std::size_t i)
{
    redis::reply_parser parser;
    static_cast<void>(parser.parse(reply));
    const auto view = parser.reply(reply);
    if (view.is_aggregate()) return i < view.size() ? view[i].integer() : 0;
    if (view.type() == redis::resp_type::integer) return view.integer();
    auto words = view.text();
    for (; i > 0; --i) static_cast<void>(store::take_word(words));
    return store::take_number(words).value_or(0);
}

std::uint64_t fence_in(std::string_view reply)
{
    return static_cast<std::uint64_t>(code_of(reply, 1));
}

std::optional<script_call> read_call(std::span<const std::string_view> words)
{
    const bool in_full = words[0] == "EVAL";
    if (!in_full && words[0] != "EVALSHA") return std::nullopt;
    for (const auto& [script, what] : known_scripts()) {
        if (words[1] != (in_full ? script->text : script->sha)) continue;
        const auto keys = static_cast<std::size_t>(number_in(words[2]));
        return script_call{.what = what,
                           .in_full = in_full,
                           .keys = words.subspan(3, keys),
                           .arguments = words.subspan(3 + keys)};
    }
    return std::nullopt;
}

}  // namespace pawl::sim
