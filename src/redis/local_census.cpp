#include "redis/local_census.h"

#include <pawl/error.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <sstream>
#include <string_view>
#include <vector>

namespace pawl::redis {
namespace {

// The prefixes of pawl's other keys (docs/wire.md). Every key without one is a lock, a latch or a
// barrier, because a local server is used for nothing else.
constexpr std::array<std::string_view, 5> not_locks{
    "pawl:fence:", "pawl:queue:", "pawl:cond:", "pawl:watch:", "pawl:mark:"};

[[nodiscard]] bool is_lock(std::string_view key)
{
    return std::ranges::none_of(not_locks,
                                [key](std::string_view prefix) { return key.starts_with(prefix); });
}

[[noreturn]] void unexpected(std::string_view command, const std::string& socket)
{
    throw error{errc::unreachable, "the local server on " + socket +
                                       " gave an unexpected answer to " + std::string{command}};
}

// The numbers of the databases that have keys, from lines like "db0:keys=1,expires=1".
[[nodiscard]] std::vector<std::string> databases_in(std::string_view info)
{
    constexpr std::string_view prefix = "db";
    std::vector<std::string> numbers;
    while (!info.empty()) {
        const std::string_view line = info.substr(0, info.find('\n'));
        info.remove_prefix(std::min(line.size() + 1, info.size()));
        const std::size_t colon = line.find(':');
        if (!line.starts_with(prefix) || colon == std::string_view::npos) continue;
        numbers.emplace_back(line.substr(prefix.size(), colon - prefix.size()));
    }
    return numbers;
}

// Whether some participants have arrived, and others have not. The text of a gate: made as (two words), expected
// arrivals, missing arrivals, … (src/scripts/parts/gate.lua).
[[nodiscard]] bool is_under_way(std::string_view gate)
{
    std::istringstream words{std::string{gate}};
    std::string kind;
    unsigned made_for = 0;
    unsigned expected = 0;
    unsigned missing = 0;
    words >> kind >> made_for >> expected >> missing;
    return !words || (missing > 0 && missing < expected);
}

class census {
public:
    census(local_link& link, const std::string& socket, base::boot_time until)
        : link_{link}, socket_{socket}, until_{until}
    {
    }

    [[nodiscard]] std::size_t count()
    {
        const auto info = ask({"INFO", "keyspace"});
        std::size_t locks = 0;
        for (const std::string& number : databases_in(info.text())) {
            static_cast<void>(ask({"SELECT", number}));
            for (const std::string& key : keys()) {
                if (is_held(key)) ++locks;
            }
        }
        return locks;
    }

private:
    // The reply is valid until the next call.
    reply_view ask(std::initializer_list<std::string_view> words)
    {
        const auto reply = link_.ask(words, until_);
        if (!reply || reply->is_error()) unexpected(*words.begin(), socket_);
        return *reply;
    }

    // Those of locks, latches and barriers, in the selected database.
    [[nodiscard]] std::vector<std::string> keys()
    {
        std::vector<std::string> found;
        std::string cursor = "0";
        do {
            const auto reply = ask({"SCAN", cursor, "COUNT", "1000"});
            if (reply.size() != 2) unexpected("SCAN", socket_);
            const reply_view some = reply[1];
            for (std::size_t i = 0; i < some.size(); ++i) {
                if (is_lock(some[i].text())) found.emplace_back(some[i].text());
            }
            cursor = reply[0].text();
        } while (cursor != "0");
        return found;
    }

    // The server remembers a semaphore, a latch or a barrier for a day after its last use. That does not count.
    [[nodiscard]] bool is_held(const std::string& key)
    {
        const std::string type{ask({"TYPE", key}).text()};
        if (type == "zset") {
            const auto after_now = '(' + std::to_string(now_ms());
            return ask({"ZCOUNT", key, after_now, "+inf"}).integer() > 0;
        }
        if (type == "hash") {
            const auto gate = ask({"HGET", key, "gate"});
            return gate.is_null() || is_under_way(gate.text());
        }
        return type != "none";
    }

    // By the server's clock, in which leases are stored.
    [[nodiscard]] std::int64_t now_ms()
    {
        const auto time = ask({"TIME"});
        if (time.size() != 2) unexpected("TIME", socket_);
        return std::stoll(std::string{time[0].text()}) * 1000 +
               std::stoll(std::string{time[1].text()}) / 1000;
    }

    local_link& link_;
    const std::string& socket_;
    base::boot_time until_;
};

}  // namespace

std::size_t count_locks(local_link& link, const std::string& socket, base::boot_time until)
{
    return census{link, socket, until}.count();
}

}  // namespace pawl::redis
