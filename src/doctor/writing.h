// How findings are made, and how figures are written in them.
#pragma once

#include "doctor/checks.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pawl::doctor {

// The check, and what it is about.
struct subject {
    std::string_view check;
    std::string_view server{};  // empty: all servers together
};

[[nodiscard]] finding fine(const subject& of, std::string seen);

[[nodiscard]] finding found(severity how, const subject& of, std::string seen, std::string_view why,
                            std::string_view advice);

// It could not be checked: `what` is needed for it, and `problem` says why that is missing.
[[nodiscard]] finding not_checked(const subject& of, std::string_view problem);

// Why a field of INFO, or a setting, is not known. Never empty.
[[nodiscard]] std::string_view missing_info(const server_facts& of);
[[nodiscard]] std::string_view missing_setting(const server_facts& of);

// "no right for INFO", "the server does not have CLUSTER", or what the server has said.
[[nodiscard]] std::string problem_in(const core::failure& why, std::string_view command);

// "1 replica", "2 replicas"
[[nodiscard]] std::string counted(std::size_t count, std::string_view one, std::string_view many);

// "12.3 MB", "1.5 KB"
[[nodiscard]] std::string bytes(std::int64_t count);

// "350 µs", "1.2 ms", "3.5 s", "2 h"
[[nodiscard]] std::string span(std::chrono::nanoseconds length);

// "a, b, c"
[[nodiscard]] std::string listed(const std::vector<std::string>& names);

}  // namespace pawl::doctor
