#include "redis/failure.h"

#include "base/mutant.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

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
        return {failure_kind::replica, "the server is a replica: " + std::string{text}};
    case server_role::not_ready: return {failure_kind::not_now, std::string{text}};
    case server_role::unknown: break;
    }
    if (has_code(text, "MOVED ")) return {failure_kind::moved, std::string{text}};
    if (has_code(text, "ASK ")) return {failure_kind::ask, std::string{text}};
    const bool not_now =
        std::ranges::any_of(temporary, [&](auto code) { return has_code(text, code); });
    return {not_now ? failure_kind::not_now : failure_kind::refused,
            std::string{without_arguments(text)}};
}

std::optional<redirection> redirection_in(std::string_view text)
{
    constexpr std::uint16_t slots = 16'384;
    const auto take_word = [&text] {
        const auto word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(word.size() + 1, text.size()));
        return word;
    };
    const auto number = [](std::string_view digits) -> std::optional<std::uint16_t> {
        std::uint16_t value = 0;
        const auto* const end = digits.data() + digits.size();
        const auto [at, problem] = std::from_chars(digits.data(), end, value);
        if (problem != std::errc{} || at != end) return std::nullopt;
        return value;
    };
    const auto kind = take_word();
    const auto slot = number(take_word());
    const auto where = take_word();
    // The last colon: an IPv6 address has others.
    const auto colon = where.rfind(':');
    if ((kind != "MOVED" && kind != "ASK") || !slot || *slot >= slots ||
        colon == std::string_view::npos) {
        return std::nullopt;
    }
    const auto port = number(where.substr(colon + 1));
    if (!port || *port == 0) return std::nullopt;
    return redirection{*slot, std::string{where.substr(0, colon)}, *port};
}

server_role role_in_error(std::string_view text)
{
    const auto is = [&](auto code) { return has_code(text, code); };
    if (base::is(base::mutant::readonly_is_final) && is("READONLY")) return server_role::unknown;
    if (std::ranges::any_of(of_replicas, is)) return server_role::replica;
    if (std::ranges::any_of(of_unready, is)) return server_role::not_ready;
    return server_role::unknown;
}

}  // namespace pawl::redis
