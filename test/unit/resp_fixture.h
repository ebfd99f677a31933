// What a parser reads from some bytes, for the tests of RESP.
#pragma once

#include "redis/resp.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace pawl::redis {

// A reply in one line: the type byte of each value, then its text, number or children.
inline std::string shown(reply_view reply)
{
    std::string out{static_cast<char>(reply.type())};
    if (!reply.is_aggregate()) {
        const bool has_number =
            reply.type() == resp_type::integer || reply.type() == resp_type::boolean;
        return out.append(has_number ? std::to_string(reply.integer()) : std::string{reply.text()});
    }
    out += '[';
    for (std::size_t child = 0; child < reply.size(); ++child) {
        out.append(child > 0 ? " " : "").append(shown(reply[child]));
    }
    return out += ']';
}

struct outcome {
    parse_status status{};
    std::size_t consumed = 0;
    std::string text;  // the reply, or the problem

    bool operator==(const outcome&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const outcome& result)
{
    return out << "status " << static_cast<int>(result.status) << ", " << result.consumed
               << " bytes, " << result.text;
}

inline outcome outcome_of(const reply_parser& parser, parse_status status, std::string_view buffer)
{
    switch (status) {
    case parse_status::complete: return {status, parser.consumed(), shown(parser.reply(buffer))};
    case parse_status::malformed: return {status, 0, parser.problem()};
    case parse_status::more: break;
    }
    return {status, 0, {}};
}

inline outcome parse_whole(std::string_view bytes, resp_limits limits = {})
{
    reply_parser parser{limits};
    const auto status = parser.parse(bytes);
    return outcome_of(parser, status, bytes);
}

inline outcome parse_bytewise(std::string_view bytes, resp_limits limits = {})
{
    reply_parser parser{limits};
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const auto status = parser.parse(bytes.substr(0, size));
        if (status != parse_status::more) {
            return outcome_of(parser, status, bytes.substr(0, size));
        }
    }
    const auto status = parser.parse(bytes);
    return outcome_of(parser, status, bytes);
}

inline outcome read(std::string_view bytes, std::string text)
{
    return {parse_status::complete, bytes.size(), std::move(text)};
}

inline std::string problem_of(std::string_view bytes, resp_limits limits = {})
{
    const auto whole = parse_whole(bytes, limits);
    EXPECT_EQ(whole, parse_bytewise(bytes, limits));
    EXPECT_EQ(whole.status, parse_status::malformed);
    return whole.text;
}

inline std::string repeated(std::string_view text, std::size_t times)
{
    std::string out;
    for (; times > 0; --times) {
        out += text;
    }
    return out;
}

struct sample {
    std::string_view bytes;
    std::string_view text;
};

}  // namespace pawl::redis
