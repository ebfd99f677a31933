// The fixture of most tests: a server, a probe that inspects it, and a record of the clients'
// events and logs.
#pragma once

#include <pawl/pawl.h>

#include "support/event_log.h"
#include "support/eventually.h"
#include "support/redis_probe.h"
#include "support/redis_server.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl::test {

using namespace std::chrono_literals;

// The delay that a busy machine or a sanitizer may cause. Checks of times allow this much.
inline constexpr std::chrono::milliseconds slack{1'000};

class with_server : public testing::Test {
protected:
    with_server() = default;
    explicit with_server(server_options options) : server_{std::move(options)} {}

    // Over the Unix socket, with events and log recorded.
    [[nodiscard]] client_options options() { return options(server_.unix_url()); }

    [[nodiscard]] client_options options(std::string url)
    {
        client_options made;
        made.url = std::move(url);
        events_.attach(made);
        return made;
    }

    // The count in a lock of the hash layout. -1 if `holder` is not in it.
    [[nodiscard]] std::int64_t hash_count(std::string_view key, std::string_view holder)
    {
        const redis_value value = probe_.must({"HGET", key, holder});
        return value.is_nil() ? -1 : std::stoll(value.text);
    }

    event_log events_;
    redis_server server_;
    redis_probe probe_ = server_.probe();
};

// Options with this lease, and defaults for the rest.
[[nodiscard]] inline lock_options quick(std::chrono::milliseconds lease)
{
    lock_options made;
    made.lease = lease;
    return made;
}

[[nodiscard]] inline lock_options quick(std::chrono::milliseconds lease, layout where)
{
    lock_options made = quick(lease);
    made.layout = where;
    return made;
}

// The result of a call: its error code and its message. No error if it did not throw.
struct outcome {
    std::error_code code;
    std::string message;
};

template <class Call>
[[nodiscard]] outcome outcome_of(Call&& call)
{
    try {
        call();
        return {};
    } catch (const error& problem) {
        return {.code = problem.code(), .message = problem.what()};
    }
}

[[nodiscard]] inline bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != text.npos;
}

// Checks that a message contains a text.
[[nodiscard]] inline testing::AssertionResult says(std::string_view text, std::string_view part)
{
    if (contains(text, part)) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "no '" << part << "' in: " << text;
}

[[nodiscard]] inline testing::AssertionResult hides(std::string_view text, std::string_view part)
{
    if (!contains(text, part)) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "'" << part << "' is shown in: " << text;
}

}  // namespace pawl::test
