#include "redis/local_census.h"

#include <pawl/error.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace pawl::redis {
namespace {

// The prefixes of pawl's other keys (docs/wire.md). Every key without one is a lock, because a local
// server is used for nothing else.
constexpr std::array<std::string_view, 3> not_locks{"pawl:fence:", "pawl:queue:", "pawl:mark:"};

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

[[nodiscard]] std::size_t count_in_selected(local_link& link, const std::string& socket,
                                            base::boot_time until)
{
    std::size_t locks = 0;
    std::string cursor = "0";
    do {
        const auto reply = link.ask({"SCAN", cursor, "COUNT", "1000"}, until);
        if (!reply || reply->size() != 2) unexpected("SCAN", socket);
        const reply_view keys = (*reply)[1];
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (is_lock(keys[i].text())) ++locks;
        }
        cursor = (*reply)[0].text();
    } while (cursor != "0");
    return locks;
}

}  // namespace

std::size_t count_locks(local_link& link, const std::string& socket, base::boot_time until)
{
    const auto info = link.ask({"INFO", "keyspace"}, until);
    if (!info || info->is_error()) unexpected("INFO", socket);
    std::size_t locks = 0;
    for (const std::string& number : databases_in(info->text())) {
        const auto selected = link.ask({"SELECT", number}, until);
        if (!selected || selected->is_error()) unexpected("SELECT", socket);
        locks += count_in_selected(link, socket, until);
    }
    return locks;
}

}  // namespace pawl::redis
