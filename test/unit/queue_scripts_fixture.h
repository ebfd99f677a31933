// The fixture of tests of pawl's scripts in the in-process Redis: a lock "a", its fence, its queue,
// and a subscriber that records the messages to its clients.
#pragma once

#include "redis/scripts.h"
#include "store/redis/message.h"
#include "store/redis/place.h"
#include "unit/engine_fixture.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::store::memory {

using namespace std::chrono_literals;
namespace ours = redis::scripts;

inline constexpr session listener = 2;

// A client that listens, and one that does not.
inline constexpr std::string_view listening_client = "c0c0c0c0c0c0c0c0";
inline constexpr std::string_view deaf_client = "c1c1c1c1c1c1c1c1";

// The arguments of an acquire besides its holder.
struct how {
    bool repeated = false;
    bool join = true;
    bool fair = false;
    bool mend = false;
    bool count = false;  // to say how many wait
    std::chrono::milliseconds lease = 3s;
    std::chrono::milliseconds stay = 9s;
    std::string_view client = listening_client;
    unsigned reserve = 0;
    std::string_view wanted_until = "0";
};

// The arguments of a release besides its holder.
struct how_to_end {
    std::string_view used = "0";
    bool reserve = false;
    std::string_view announcement{};
};

// Runs each test in both layouts. Holders have short names here, so the scripts treat them as
// foreign holders: the code for busy is -2.
class queue_scripts : public engine_test, public testing::WithParamInterface<bool> {
protected:
    queue_scripts()
    {
        engine_.on_push([this](session, std::string_view bytes) { heard_ += shown(bytes); });
        ask({"HELLO", "3"}, listener);
        listen(channel_of(listening_client));
    }

    [[nodiscard]] static bool is_hash() { return GetParam(); }

    void listen(std::string_view channel) { ask({"SUBSCRIBE", channel}, listener); }

    std::string acquire(std::string_view holder, const how& asked = {})
    {
        const auto& script = is_hash() ? ours::hash_acquire : ours::plain_acquire;
        const auto flags =
            std::to_string((asked.repeated ? 1 : 0) + (asked.join ? 2 : 0) + (asked.fair ? 4 : 0) +
                           (asked.mend ? 8 : 0) + (asked.count ? 16 : 0));
        return ask({"EVAL", script.text, "3", "a", "f", "q", holder, asked.wanted_until, flags,
                    place(asked)});
    }

    std::string release(std::string_view holder, const how_to_end& asked = {})
    {
        const auto& script = is_hash() ? ours::hash_release : ours::plain_release;
        if (asked.reserve) {
            return ask({"EVAL", script.text, "3", "a", "f", "q", holder, asked.used,
                        asked.announcement, "1"});
        }
        return ask(
            {"EVAL", script.text, "3", "a", "f", "q", holder, asked.used, asked.announcement});
    }

    // The place that a client would write now.
    [[nodiscard]] std::string place(const how& asked = {}) const
    {
        const auto until = std::chrono::floor<std::chrono::milliseconds>(now_) + asked.stay;
        return place_text({}, {asked.client, asked.lease, asked.reserve}, until);
    }

    // The reply to an acquire or a keep.
    static std::string answer(const std::string& text)
    {
        return "$" + std::to_string(text.size()) + "|" + text + "|";
    }

    // An array reply.
    static std::string list(const std::vector<std::string>& words)
    {
        std::string text = "*" + std::to_string(words.size()) + "|";
        for (const auto& each : words) {
            text += "$" + std::to_string(each.size()) + "|" + each + "|";
        }
        return text;
    }

    std::string keep(std::string_view holder, std::string_view used = "1700000000000000",
                     std::string_view reserve = "1000")
    {
        const auto last = ask({"GET", "f"});
        return keep_known_by(last == "_|" ? "0" : last.substr(last.find('|') + 1, 16), holder, used,
                             reserve);
    }

    std::string keep_known_by(std::string_view last, std::string_view holder, std::string_view used,
                              std::string_view reserve, std::string_view announcement = {})
    {
        const auto& script = is_hash() ? ours::hash_keep : ours::plain_keep;
        return ask({"EVAL", script.text, "3", "a", "f", "q", holder, used, announcement, "3000",
                    reserve, last});
    }

    std::string holder()
    {
        const auto text = is_hash() ? ask({"EVAL", "return redis.call('HGETALL', 'a')[1]", "0"})
                                    : ask({"GET", "a"});
        return text == "_|" || text == "$-1|" ? "" : text.substr(text.find('|') + 1);
    }

    // The whole queue: the holder id and the place of each waiter.
    std::string queue() { return ask({"LRANGE", "q", "0", "-1"}); }

    // The holder ids of the waiters.
    std::string waiting()
    {
        return eval(
            "local ids, all = {}, redis.call('LRANGE', 'q', 0, -1) "
            "for i = 1, #all, 2 do ids[#ids + 1] = all[i] end return ids");
    }

    // The messages since the last call.
    std::string heard() { return std::exchange(heard_, {}); }

    static std::string message(std::string_view channel, const std::string& text)
    {
        return ">3|$7|message|$" + std::to_string(channel.size()) + "|" + std::string{channel} +
               "|$" + std::to_string(text.size()) + "|" + text + "|";
    }

    std::string grant(const std::string& who, const std::string& fence, const std::string& time)
    {
        return message(channel_of(listening_client),
                       "grant " + who + " " + fence + " " + time + " a");
    }

    std::string heard_;
};

}  // namespace pawl::store::memory
