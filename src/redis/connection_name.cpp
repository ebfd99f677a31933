#include "redis/connection_name.h"

#include "redis/resp_text.h"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace pawl::redis {
namespace {

constexpr std::size_t channel_digits = 16;

// Of this machine. The server refuses blanks and control characters in names.
std::string host_name()
{
    std::array<char, 256> text{};
    if (::gethostname(text.data(), text.size() - 1) != 0) return "unknown";
    std::string host{text.data()};
    std::ranges::replace_if(host, [](char c) { return c < '!' || c > '~' || c == ':'; }, '-');
    return host;
}

// Takes what follows the last colon off the end of `text`. Nothing if there is no colon.
std::optional<std::string_view> take_last(std::string_view& text)
{
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto last = text.substr(colon + 1);
    text = text.substr(0, colon);
    return last;
}

bool is_channel(std::string_view text)
{
    return text.size() == channel_digits &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

void name_connections(deployment& of, std::string_view channel)
{
    const auto end =
        ':' + host_name() + ':' + std::to_string(::getpid()) + ':' + std::string{channel};
    const auto complete = [&](server_config& config) {
        if (config.name.empty()) config.name = "pawl";
        config.name += end;
    };
    for (auto& each : of.servers) complete(each);
    complete(of.found);
}

std::optional<connection_name> read_connection_name(std::string_view text)
{
    const auto channel = take_last(text);
    if (!channel || !is_channel(*channel)) return std::nullopt;
    const auto pid = take_last(text);
    const auto number = pid ? to_integer(*pid) : std::nullopt;
    if (!number || *number <= 0) return std::nullopt;
    const auto host = take_last(text);
    if (!host) return std::nullopt;
    return connection_name{std::string{text}, std::string{*host}, *number, std::string{*channel}};
}

}  // namespace pawl::redis
