// The fixture of tests of the Redis store's requests, word by word, and of how it reads replies.
#pragma once

#include "redis/resp.h"
#include "store/redis/acquire_verb.h"
#include "store/redis/hold_verbs.h"
#include "store/redis/server_clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace pawl::store {
using namespace std::chrono_literals;
using core::acquire_request;
using core::failure;
using core::failure_kind;
using core::hold_status;

using word_list = std::vector<std::string>;

inline const redis::server_facts new_server{.major_version = 7};
inline const redis::server_facts old_server{.major_version = 6};
inline constexpr script_style usual{script_form::by_sha, new_server};

// The words of one request, read with the parser for replies.
inline word_list words_of(const std::string& request)
{
    redis::reply_parser parser;
    EXPECT_EQ(parser.parse(request), redis::parse_status::complete);
    EXPECT_EQ(parser.consumed(), request.size());
    word_list words;
    parser.reply(request).for_each([&](const auto& word) { words.emplace_back(word.text()); });
    return words;
}

inline word_list from(const word_list& words, std::ptrdiff_t first)
{
    return {words.begin() + first, words.end()};
}

inline word_list written(const acquire_request& what, const server_clock& clock = server_clock{0})
{
    std::string out;
    append(out, what, usual, {clock, false});
    return words_of(out);
}

template <class Request>
word_list written(const Request& what, const script_style& how = usual)
{
    std::string out;
    if constexpr (requires { what.announce; }) {
        append(out, what, how, wall_time{1'700'000'000'123ms});
    } else {
        append(out, what, how);
    }
    return words_of(out);
}

inline std::string bulk(const std::string& text)
{
    return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

template <class Request>
auto read_text(const Request& what, const std::string& reply)
{
    redis::reply_parser parser;
    EXPECT_EQ(parser.parse(reply), redis::parse_status::complete);
    return read(what, parser.reply(reply));
}

template <class Reply>
failure_kind failure_of_reply(const Reply& got)
{
    return std::get<failure>(got).what;
}

class wire : public testing::Test {
protected:
    [[nodiscard]] core::acquire_request acquire() const { return {.mine = mine_, .lease = 30s}; }
    [[nodiscard]] core::release_request release() const { return {.mine = mine_}; }

    [[nodiscard]] core::granted granted(const std::string& reply) const
    {
        return std::get<core::granted>(read_text(acquire(), reply));
    }
    [[nodiscard]] core::busy busy(const std::string& reply) const
    {
        return std::get<core::busy>(read_text(acquire(), reply));
    }

    core::object object_{.name = "a"};
    core::object hash_{.name = "a", .layout = layout::hash};
    core::object other_{.name = "b"};
    core::claim mine_{&object_, "me"};
};

}  // namespace pawl::store
