// The fixture of tests of pawl's scripts in the in-process Redis: a lock "a", its fence, its queue,
// and a subscriber that records the messages to its clients.
#pragma once

#include "redis/scripts.h"
#include "unit/engine_fixture.h"

#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace pawl::store::memory {

using namespace std::chrono_literals;
namespace ours = redis::scripts;

inline constexpr session listener = 2;

// The arguments of an acquire besides its holder.
struct how {
    bool repeated = false;
    bool join = true;
    bool fair = false;
    std::string_view lease{};  // nothing: 3000
    std::string_view stay = "9000";
    std::string_view client = "c0";
    std::string_view reserve = "0";
    std::string_view wanted_until = "0";
};

// The arguments of a release besides its holder.
struct how_to_end {
    std::string_view used = "0";
    bool reserve = false;
    std::string place{};
    bool announce = false;
    // Name and holder as JSON, if they need escapes.
    std::pair<std::string_view, std::string_view> json{};
};

// Holders have short names here, so the scripts take them for foreign holders: busy is -2.
//
// The tests run in both layouts, and with two leases of waiters. A waiter stays for 9000 ms. That
// is the usual stay if its lease has the same length, and an unusual one otherwise.
class queue_scripts : public engine_test,
                      public testing::WithParamInterface<std::tuple<bool, bool>> {
protected:
    queue_scripts()
    {
        engine_.on_push([this](session, std::string_view bytes) { heard_ += shown(bytes); });
        ask({"HELLO", "3"}, listener);
        listen("pawl:client:c0");
    }

    [[nodiscard]] static bool is_hash() { return std::get<0>(GetParam()); }
    [[nodiscard]] static bool is_usual() { return std::get<1>(GetParam()); }
    [[nodiscard]] static std::string lease_of_waiters() { return is_usual() ? "9000" : "3000"; }
    [[nodiscard]] static std::string_view usual_mark() { return is_usual() ? "0" : "1"; }

    void listen(std::string_view channel) { ask({"SUBSCRIBE", channel}, listener); }

    std::string acquire(std::string_view holder, const how& asked = {})
    {
        const auto& script = is_hash() ? ours::hash_acquire : ours::plain_acquire;
        const auto lease = asked.lease.empty() ? "3000" : asked.lease;
        const auto flags =
            std::to_string((asked.repeated ? 1 : 0) + (asked.join ? 2 : 0) + (asked.fair ? 4 : 0));
        return ask({"EVAL", script.text, "4", "a", "f", "q", "w", holder, lease, asked.wanted_until,
                    flags, asked.client, asked.reserve, asked.stay});
    }

    // The same for a caller that will wait.
    std::string join(std::string_view holder, how asked = {})
    {
        const auto lease = lease_of_waiters();
        if (asked.lease.empty()) asked.lease = lease;
        return acquire(holder, asked);
    }

    std::string release(std::string_view holder, const how_to_end& asked = {})
    {
        const auto& script = is_hash() ? ours::hash_release : ours::plain_release;
        const bool json = !asked.json.first.empty();
        const auto flags =
            std::to_string((asked.announce ? 1 : 0) + (json ? 2 : 0) + (asked.reserve ? 4 : 0));
        return ask({"EVAL", script.text, "4", "a", "f", "q", "w", holder, flags, asked.used,
                    asked.place, asked.json.first, asked.json.second});
    }

    // A place in the form of a release that gives it up. The queue adds a mark.
    static std::string place(const std::string& who, const std::string& reserve = "0")
    {
        return who + " c0 " + lease_of_waiters() + " " + reserve;
    }

    static std::string marked(const std::string& who, const std::string& reserve = "0",
                              std::string_view mark = usual_mark())
    {
        return place(who, reserve).append(" ").append(mark);
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
                              std::string_view reserve)
    {
        const auto& script = is_hash() ? ours::hash_keep : ours::plain_keep;
        return ask({"EVAL", script.text, "4", "a", "f", "q", "w", holder, "0", used, "3000", "", "",
                    reserve, last});
    }

    std::string holder()
    {
        const auto text = is_hash() ? ask({"EVAL", "return redis.call('HGETALL', 'a')[1]", "0"})
                                    : ask({"GET", "a"});
        return text == "_|" || text == "$-1|" ? "" : text.substr(text.find('|') + 1);
    }

    std::string waiting() { return ask({"ZRANGE", "q", "0", "-1"}); }

    // The messages since the last call.
    std::string heard() { return std::exchange(heard_, {}); }

    static std::string message(std::string_view channel, const std::string& text)
    {
        return ">3|$7|message|$" + std::to_string(channel.size()) + "|" + std::string{channel} +
               "|$" + std::to_string(text.size()) + "|" + text + "|";
    }

    std::string grant(const std::string& who, const std::string& fence, const std::string& time)
    {
        return message("pawl:client:c0", "grant " + who + " " + fence + " " + time + " a");
    }

    std::string heard_;
};

}  // namespace pawl::store::memory
