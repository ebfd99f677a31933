#include "redis/failure.h"

#include <algorithm>
#include <array>

namespace pawl::redis {
namespace {

constexpr std::array<std::string_view, 3> of_replicas{"READONLY", "MASTERDOWN", "UNBLOCKED"};
constexpr std::array<std::string_view, 2> of_unready{"LOADING", "NOREPLICAS"};
constexpr std::array<std::string_view, 4> temporary{"BUSY ", "CLUSTERDOWN", "TRYAGAIN",
                                                    "ERR max number of clients"};

// An error begins with its code. For an error in a script, servers before 7.0 put the position in
// the script first.
bool has_code(std::string_view text, std::string_view code)
{
    if (text.starts_with(code)) return true;
    if (!text.starts_with("ERR Error running script")) return false;
    const auto at = text.find(code);
    return at != std::string_view::npos && text[at - 1] == '-';
}

// "ERR unknown command 'AUTH', with args beginning with: 'ses"
std::string_view without_arguments(std::string_view text) noexcept
{
    const auto kept = text.substr(0, text.find("with args"));
    return kept.substr(0, kept.find_last_not_of(" ,") + 1);
}

}  // namespace

failure failure_of_error(std::string_view text)
{
    switch (role_in_error(text)) {
    case server_role::replica:
        return {failure_kind::not_now, "the server is a replica: " + std::string{text}};
    case server_role::not_ready: return {failure_kind::not_now, std::string{text}};
    case server_role::unknown: break;
    }
    const bool not_now =
        std::ranges::any_of(temporary, [&](auto code) { return has_code(text, code); });
    return {not_now ? failure_kind::not_now : failure_kind::refused,
            std::string{without_arguments(text)}};
}

server_role role_in_error(std::string_view text)
{
    const auto is = [&](auto code) { return has_code(text, code); };
    if (std::ranges::any_of(of_replicas, is)) return server_role::replica;
    if (std::ranges::any_of(of_unready, is)) return server_role::not_ready;
    return server_role::unknown;
}

}  // namespace pawl::redis
