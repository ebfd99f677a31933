#include "sim/script_call.h"

#include "redis/resp.h"
#include "store/redis/reading.h"

#include <array>
#include <charconv>
#include <cstdint>

namespace pawl::sim {
namespace {

using kind = script_call::kind;

std::int64_t number_in(std::string_view word)
{
    std::int64_t number = 0;
    std::from_chars(word.data(), word.data() + word.size(), number);
    return number;
}

}  // namespace

std::span<const known_script> known_scripts()
{
    namespace scripts = redis::scripts;
    static const std::array known{
        known_script{&scripts::plain_acquire, kind::acquire},
        known_script{&scripts::hash_acquire, kind::acquire},
        known_script{&scripts::plain_renew, kind::renew},
        known_script{&scripts::hash_renew, kind::renew},
        known_script{&scripts::plain_keep, kind::keep},
        known_script{&scripts::hash_keep, kind::keep},
        known_script{&scripts::plain_release, kind::release},
        known_script{&scripts::hash_release, kind::release},
        known_script{&scripts::hash_set_count, kind::set_count},
        known_script{&scripts::plain_check, kind::check},
        known_script{&scripts::hash_check, kind::check},
        known_script{&scripts::members_acquire, kind::acquire},
        known_script{&scripts::members_renew, kind::renew},
        known_script{&scripts::members_check, kind::check},
        known_script{&scripts::members_release, kind::release},
        known_script{&scripts::members_exchange, kind::exchange},
        known_script{&scripts::plain_many_acquire, kind::acquire, true},
        known_script{&scripts::hash_many_acquire, kind::acquire, true},
        known_script{&scripts::plain_many_renew, kind::renew, true},
        known_script{&scripts::hash_many_renew, kind::renew, true},
        known_script{&scripts::plain_many_check, kind::check, true},
        known_script{&scripts::hash_many_check, kind::check, true},
        known_script{&scripts::plain_many_release, kind::release, true},
        known_script{&scripts::hash_many_release, kind::release, true},
        known_script{&scripts::plain_cond_wait, kind::cond_wait},
        known_script{&scripts::hash_cond_wait, kind::cond_wait},
        known_script{&scripts::cond_look, kind::cond_look},
        known_script{&scripts::plain_cond_notify, kind::cond_notify},
        known_script{&scripts::hash_cond_notify, kind::cond_notify},
        known_script{&scripts::plain_cond_leave, kind::cond_leave},
        known_script{&scripts::hash_cond_leave, kind::cond_leave},
        known_script{&scripts::term_acquire, kind::acquire},
        known_script{&scripts::term_renew, kind::renew},
        known_script{&scripts::term_check, kind::check},
        known_script{&scripts::term_release, kind::release},
        known_script{&scripts::term_yield, kind::yield},
        known_script{&scripts::term_watch, kind::watch},
        known_script{&scripts::members_resize, kind::resize},
        known_script{&scripts::gate_arrive, kind::arrive},
        known_script{&scripts::gate_wait, kind::wait_at},
        known_script{&scripts::gate_leave, kind::leave_queue},
        known_script{&scripts::once_acquire, kind::acquire},
        known_script{&scripts::once_release, kind::release},
        known_script{&scripts::vote, kind::vote},
        known_script{&scripts::raise, kind::raise},
        known_script{&scripts::hand_back, kind::hand_back},
        known_script{&scripts::return_vote, kind::return_vote},
        known_script{&scripts::restore, kind::restore},
    };
    return known;
}

std::vector<std::string_view> script_call::locks_on_node() const
{
    if (what != kind::restore) return {keys[0]};
    std::vector<std::string_view> all;
    for (std::size_t i = 1; i < keys.size(); i += 2) all.push_back(keys[i]);
    return all;
}

std::uint64_t script_call::capacity() const
{
    return static_cast<std::uint64_t>(number_in(arguments[1]));
}

std::optional<std::uint64_t> script_call::after_resize() const
{
    if (arguments[2].empty()) return std::nullopt;
    return static_cast<std::uint64_t>(number_in(arguments[2]));
}

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

std::string_view script_call::candidate() const
{
    const auto place = arguments[3];
    const auto space = place.find(' ');
    return space == std::string_view::npos ? std::string_view{} : place.substr(space + 1);
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
    case kind::cond_wait: return "wait";
    case kind::cond_look: return "look";
    case kind::cond_notify: return "notify";
    case kind::cond_leave: return "leave";
    case kind::yield: return "yield";
    case kind::watch: return "watch";
    case kind::arrive: return "arrival";
    case kind::wait_at: return "wait";
    case kind::leave_queue: return "leave";
    case kind::resize: return "resize";
    case kind::vote: return "vote";
    case kind::raise: return "raise";
    case kind::hand_back: return "hand-back";
    case kind::return_vote: return "return";
    case kind::restore: return "restore";
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
    for (const auto& [script, what, many] : known_scripts()) {
        if (words[1] != (in_full ? script->text : script->sha)) continue;
        const auto keys = static_cast<std::size_t>(number_in(words[2]));
        return script_call{.what = what,
                           .in_full = in_full,
                           .many = many,
                           .keys = words.subspan(3, keys),
                           .arguments = words.subspan(3 + keys)};
    }
    return std::nullopt;
}

}  // namespace pawl::sim
