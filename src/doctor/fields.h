// Texts of servers that consist of names and values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::doctor {

class fields {
public:
    // "name:value" in each line, as INFO and CLUSTER INFO answer.
    [[nodiscard]] static fields of_lines(std::string_view text);

    // "name=value" with commas between them, as a replica in INFO.
    [[nodiscard]] static fields of_list(std::string_view text);

    // Names and values in turn, as HELLO and SENTINEL MASTER answer.
    [[nodiscard]] static fields of_pairs(const std::vector<std::string>& texts);

    [[nodiscard]] bool empty() const noexcept { return values_.empty(); }

    // Nothing if the server did not tell it: older servers have fewer fields.
    [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
    [[nodiscard]] std::optional<std::int64_t> number(std::string_view name) const;

    // Whether it is told, and is this.
    [[nodiscard]] bool is(std::string_view name, std::string_view value) const;

private:
    std::map<std::string, std::string, std::less<>> values_;
};

// Nothing unless all of it is a decimal number.
[[nodiscard]] std::optional<std::int64_t> number_in(std::string_view text);

// A count or a time that a server has told, but not below 0 and not above 10^12: what is computed from it does not
// overflow, also if the server tells nonsense.
[[nodiscard]] constexpr std::int64_t bounded(std::int64_t number) noexcept
{
    return std::clamp<std::int64_t>(number, 0, 1'000'000'000'000);
}

// The parts between the separators, without empty ones.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);

}  // namespace pawl::doctor
