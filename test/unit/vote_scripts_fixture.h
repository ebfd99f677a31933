// The fixture of tests of the scripts of a quorum in the in-process Redis: one node with a lock "a", and a subscriber
// that records the messages to its clients.
#pragma once

#include "redis/scripts.h"
#include "store/redis/message.h"
#include "store/redis/place.h"
#include "unit/engine_fixture.h"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace pawl::store::memory {

using namespace std::chrono_literals;
namespace ours = redis::scripts;

inline constexpr std::string_view listening_client = "c0c0c0c0c0c0c0c0";
inline constexpr std::string_view deaf_client = "c1c1c1c1c1c1c1c1";

class vote_scripts : public engine_test {
protected:
    // The arguments of a vote or a hand-back besides the holder.
    struct how {
        bool join = true;
        bool renumber = false;
        std::string_view ticket = "100";
        std::string_view proposal = "0";
        std::chrono::milliseconds lease = 3s;
        std::chrono::milliseconds stay = 9s;
        std::string_view client = listening_client;
        unsigned reserve = 0;
        std::string_view wanted_until = "0";
    };

    vote_scripts()
    {
        engine_.on_push([this](session, std::string_view bytes) { heard_ += shown(bytes); });
        ask({"HELLO", "3"}, listener);
        ask({"SUBSCRIBE", channel_of(listening_client)}, listener);
        ask({"SET", "n", "run1 0000000000000"});  // it has been a node for long
    }

    std::string vote(std::string_view holder) { return vote(holder, how{}); }
    std::string vote(std::string_view holder, const how& asked)
    {
        const auto flags = std::to_string((asked.join ? 1 : 0) + (asked.renumber ? 2 : 0));
        return ask({"EVAL", ours::vote.text, "5", "a", "f", "t", "p", "n", holder,
                    asked.wanted_until, flags, place(asked), milliseconds_in(asked.stay),
                    asked.ticket, asked.proposal, run_, "61000"});
    }

    std::string raise(std::string_view holder, std::string_view number,
                      std::string_view reserve = "0", std::string_view lease = "0")
    {
        return ask({"EVAL", ours::raise.text, "5", "a", "f", "t", "p", "n", holder, number, reserve,
                    lease, run_, "61000"});
    }

    std::string hand_back(std::string_view holder, std::string_view number, const how& asked)
    {
        return ask({"EVAL", ours::hand_back.text, "5", "a", "f", "t", "p", "n", holder, number,
                    place(asked), milliseconds_in(asked.stay), asked.ticket, asked.proposal, run_,
                    "61000"});
    }

    std::string give_back(std::string_view holder, std::string_view used = "0",
                          std::string_view has_reserve = "", std::string_view proposal = "0",
                          std::string_view announcement = "")
    {
        return ask({"EVAL", ours::return_vote.text, "5", "a", "f", "t", "p", "n", holder, used,
                    announcement, has_reserve, proposal, run_, "61000"});
    }

    std::string restore(std::string_view holder, std::string_view number,
                        std::string_view held_until, std::string_view lease = "3000",
                        std::string_view vote_until = "1800000000000000")
    {
        return ask({"EVAL", ours::restore.text, "3", "n", "a", "f", run_, "61000", holder, lease,
                    number, held_until, vote_until});
    }

    static std::string answer(const std::string& text)
    {
        return "$" + std::to_string(text.size()) + "|" + text + "|";
    }
    // The same with the node's time.
    [[nodiscard]] std::string answer_now(const std::string& text) const
    {
        return answer(text + " " + std::to_string(now_.count()));
    }
    [[nodiscard]] std::string restored(int code) const
    {
        return "*2|" + answer(std::to_string(now_.count())) + ":" + std::to_string(code) + "|";
    }

    std::string holder()
    {
        const auto text = ask({"GET", "a"});
        return text == "_|" ? "" : text.substr(text.find('|') + 1);
    }
    std::string waiting() { return ask({"ZRANGE", "t", "0", "-1"}); }
    std::string heard() { return std::exchange(heard_, {}); }

    [[nodiscard]] std::string grant(const std::string& who, const std::string& number) const
    {
        const auto text = "grant " + who + " " + number + " " + std::to_string(now_.count()) + " a";
        const auto channel = channel_of(listening_client);
        return ">3|" + answer("message") + answer(channel) + answer(text);
    }

    std::string run_ = "run1";

private:
    static constexpr session listener = 2;

    static std::string milliseconds_in(std::chrono::milliseconds time)
    {
        return std::to_string(time.count());
    }
    static std::string place(const how& asked)
    {
        return place_text_after_time({}, {asked.client, asked.lease, asked.reserve});
    }

    std::string heard_;
};

}  // namespace pawl::store::memory
