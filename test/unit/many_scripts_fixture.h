// The fixture of tests of the scripts for many locks at once, in the in-process Redis: locks "a", "b" and "c",
// and a subscriber that records the messages to their clients.
#pragma once

#include "core/object.h"
#include "redis/scripts.h"
#include "store/redis/keys.h"
#include "store/redis/message.h"
#include "store/redis/place.h"
#include "unit/engine_fixture.h"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::store::memory {

using namespace std::chrono_literals;
namespace ours = redis::scripts;

// The arguments of an acquire besides its holder and its locks.
struct how_asked {
    bool repeated = false;
    bool join = true;
    std::chrono::milliseconds lease = 9s;
    std::chrono::milliseconds stay = 9s;
    std::string_view wanted_until = "0";
};

// Runs each test in both layouts.
class many_scripts : public engine_test, public testing::WithParamInterface<bool> {
protected:
    static constexpr session listener = 2;
    static constexpr std::string_view listening_client = "c0c0c0c0c0c0c0c0";
    using names = std::vector<std::string>;

    many_scripts()
    {
        engine_.on_push([this](session, std::string_view bytes) { heard_ += shown(bytes); });
        ask({"HELLO", "3"}, listener);
        ask({"SUBSCRIBE", channel_of(listening_client)}, listener);
    }

    [[nodiscard]] static bool is_hash() { return GetParam(); }

    // A holder id from a digit, as a client would make it: of one lock, and of a set.
    static std::string one(char digit)
    {
        return core::make_holder(std::string(32, digit), std::string(16, digit));
    }
    static std::string set(char digit)
    {
        return core::make_holder_of_many(std::string(32, digit), std::string(16, digit));
    }
    static std::string part(char digit) { return core::part_holder(set(digit)); }

    // ── Of a set ────────────────────────────────────────────────────────────────────────────────

    std::string acquire_all(char who, const names& locks, const how_asked& asked = {})
    {
        const auto& script = is_hash() ? ours::hash_many_acquire : ours::plain_many_acquire;
        const auto flags = std::to_string((asked.repeated ? 1 : 0) + (asked.join ? 2 : 0));
        return call(
            script, locks,
            {set(who), std::string{asked.wanted_until}, flags, place(core::part_lease, asked.stay),
             part(who), std::to_string(asked.lease.count())});
    }

    std::string release_all(char who, const names& locks, const names& announcements = {})
    {
        const auto& script = is_hash() ? ours::hash_many_release : ours::plain_many_release;
        names arguments{set(who), part(who)};
        arguments.insert(arguments.end(), announcements.begin(), announcements.end());
        return call(script, locks, arguments);
    }

    std::string renew(const names& locks, const names& arguments)
    {
        const auto& script = is_hash() ? ours::hash_many_renew : ours::plain_many_renew;
        return call_with(script, locks, arguments);
    }

    std::string check(char who, const names& locks)
    {
        const auto& script = is_hash() ? ours::hash_many_check : ours::plain_many_check;
        return call_with(script, locks, {set(who)});
    }

    // ── Of one lock ─────────────────────────────────────────────────────────────────────────────

    std::string acquire(char who, const std::string& lock, const how_asked& asked = {})
    {
        const auto& script = is_hash() ? ours::hash_acquire : ours::plain_acquire;
        const auto flags = std::to_string((asked.repeated ? 1 : 0) + (asked.join ? 2 : 0));
        return call(script, {lock}, {one(who), "0", flags, place(asked.lease, asked.stay)});
    }

    std::string release(char who, const std::string& lock)
    {
        const auto& script = is_hash() ? ours::hash_release : ours::plain_release;
        return call(script, {lock}, {one(who), "0"});
    }

    // ── What is there ───────────────────────────────────────────────────────────────────────────

    std::string holder(const std::string& lock)
    {
        const auto text = is_hash()
                              ? ask({"EVAL", "return redis.call('HGETALL', KEYS[1])[1]", "1", lock})
                              : ask({"GET", lock});
        if (text == "_|" || text == "$-1|") return {};
        const auto begin = text.find('|') + 1;
        return text.substr(begin, text.size() - begin - 1);
    }

    // The holders of all three locks.
    names holders() { return {holder("a"), holder("b"), holder("c")}; }

    std::string fence(const std::string& lock) { return ask({"GET", fence_key(lock)}); }

    // The ids of the waiters, as the reply to a command.
    std::string waiting(const std::string& lock)
    {
        return ask({"EVAL",
                    "local ids = '' for i, id in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do "
                    "if i % 2 == 1 then ids = ids .. id .. ' ' end end return ids",
                    "1", queue_key(lock)});
    }

    static std::string text(const std::string& said)
    {
        return "$" + std::to_string(said.size()) + "|" + said + "|";
    }

    // The first word of such a text.
    static std::string code_of(const std::string& reply)
    {
        const auto begin = reply.find('|') + 1;
        return reply.substr(begin, reply.find(' ') - begin);
    }

    std::string heard() { return std::exchange(heard_, {}); }

    static std::string message(std::string_view channel, const std::string& said)
    {
        return ">3|$7|message|$" + std::to_string(channel.size()) + "|" + std::string{channel} +
               "|" + text(said);
    }

    static std::string grant(const std::string& who, const std::string& fence,
                             const std::string& time, const std::string& lock)
    {
        return message(channel_of(listening_client),
                       "grant " + who + " " + fence + " " + time + " " + lock);
    }

private:
    [[nodiscard]] std::string place(std::chrono::milliseconds lease,
                                    std::chrono::milliseconds stay) const
    {
        const auto until = std::chrono::floor<std::chrono::milliseconds>(now_) + stay;
        return place_text({}, {listening_client, lease, 0}, until);
    }

    std::string call(const redis::script& script, const names& locks, const names& arguments)
    {
        names keys;
        for (const auto& lock : locks) {
            keys.insert(keys.end(), {lock, fence_key(lock), queue_key(lock)});
        }
        return call_with(script, keys, arguments);
    }

    std::string call_with(const redis::script& script, const names& keys, const names& arguments)
    {
        const auto count = std::to_string(keys.size());
        std::vector<std::string_view> request{"EVAL", script.text, count};
        request.insert(request.end(), keys.begin(), keys.end());
        request.insert(request.end(), arguments.begin(), arguments.end());
        std::string out;
        engine_.execute(1, request, out);
        return shown(out);
    }

    std::string heard_;
};

}  // namespace pawl::store::memory
