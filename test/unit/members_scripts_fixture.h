// The fixture of tests of the scripts for objects that several holders may enter, in the in-process Redis: an
// object "a", its fence, its queue, and a subscriber that records the messages to its clients.
#pragma once

#include "redis/scripts.h"
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

class members_scripts : public engine_test {
protected:
    static constexpr session listener = 2;
    static constexpr std::string_view listening_client = "c0c0c0c0c0c0c0c0";
    static constexpr std::string_view deaf_client = "c1c1c1c1c1c1c1c1";

    struct how {
        bool repeated = false;
        bool join = true;
        bool in_order = true;
        std::chrono::milliseconds lease = 3s;
        std::chrono::milliseconds stay = 9s;
        std::string_view client = listening_client;
        std::string_view wanted_until = "0";
    };

    explicit members_scripts(std::string capacity) : capacity_{std::move(capacity)}
    {
        engine_.on_push([this](session, std::string_view bytes) { heard_ += shown(bytes); });
        ask({"HELLO", "3"}, listener);
        ask({"SUBSCRIBE", channel_of(listening_client)}, listener);
    }

    // A holder id, as a client would make it, from a letter.
    static std::string id(char letter) { return "p" + std::string(31, letter); }

    std::string enter(const std::string& who, core::entry_mode mode, const how& asked)
    {
        const auto flags = std::to_string((asked.repeated ? 1 : 0) + (asked.join ? 2 : 0) +
                                          (asked.in_order ? 4 : 0));
        return ask({"EVAL", redis::scripts::members_acquire.text, "3", "a", "f", "q", who,
                    asked.wanted_until, flags, place(mode, asked), capacity_});
    }

    std::string leave(const std::string& who, std::string_view announcement = {})
    {
        return ask({"EVAL", redis::scripts::members_release.text, "3", "a", "f", "q", who,
                    capacity_, announcement});
    }

    std::string renew(const std::string& who, std::string_view lease)
    {
        return ask({"EVAL", redis::scripts::members_renew.text, "1", "a", who, lease});
    }

    std::string check(const std::string& who)
    {
        return ask({"EVAL", redis::scripts::members_check.text, "1", "a", who});
    }

    [[nodiscard]] std::string place(core::entry_mode mode, const how& asked) const
    {
        const auto until = std::chrono::floor<std::chrono::milliseconds>(now_) + asked.stay;
        return place_text({.name = {}, .mode = mode}, {asked.client, asked.lease, 0}, until);
    }

    // The sum of the weights that are in.
    std::string out() { return number_of("out"); }

    std::string number_of(std::string_view member)
    {
        const auto text = ask({"ZSCORE", "a", member});
        return text.starts_with(',') ? text.substr(1, text.size() - 2) : text;
    }

    std::string heard() { return std::exchange(heard_, {}); }

    static std::string answer(const std::string& text)
    {
        return "$" + std::to_string(text.size()) + "|" + text + "|";
    }

    static std::string grant(const std::string& who, const std::string& fence,
                             const std::string& time)
    {
        const auto channel = channel_of(listening_client);
        const auto text = "grant " + who + " " + fence + " " + time + " a";
        return ">3|$7|message|$" + std::to_string(channel.size()) + "|" + channel + "|$" +
               std::to_string(text.size()) + "|" + text + "|";
    }

    std::string capacity_;
    std::string heard_;
};

}  // namespace pawl::store::memory
