#include "doctor/writing.h"

#include <array>
#include <cstdio>

namespace pawl::doctor {
namespace {

struct unit {
    double from;  // the smallest value that is written in it
    double size;
    std::string_view name;
};

// With one digit after the point if the number is small, but not in the first unit.
template <std::size_t Count>
std::string in_units(double value, const std::array<unit, Count>& units)
{
    const unit* chosen = &units.front();
    for (const unit& each : units) {
        if (value >= each.from) chosen = &each;
    }
    const double number = value / chosen->size;
    const bool has_fraction = chosen != &units.front() && number < 100;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), has_fraction ? "%.1f " : "%.0f ", number);
    std::string out = text.data();
    if (const auto at = out.find(".0 "); at != std::string::npos) out.erase(at, 2);
    return out.append(chosen->name);
}

constexpr double ki = 1 << 10U;
constexpr std::array<unit, 4> sizes{
    {{0, 1, "bytes"}, {ki, ki, "KB"}, {ki * ki, ki* ki, "MB"}, {ki * ki * ki, ki* ki* ki, "GB"}}};
// In µs.
constexpr std::array<unit, 6> times{{{0, 1, "µs"},
                                     {1e3, 1e3, "ms"},
                                     {1e6, 1e6, "s"},
                                     {120e6, 60e6, "min"},
                                     {7'200e6, 3'600e6, "h"},
                                     {172'800e6, 86'400e6, "days"}}};

}  // namespace

finding fine(const subject& of, std::string seen)
{
    finding made;
    made.check = of.check;
    made.server = of.server;
    made.seen = std::move(seen);
    return made;
}

finding found(severity how, const subject& of, std::string seen, std::string_view why,
              std::string_view advice)
{
    finding made = fine(of, std::move(seen));
    made.severity = how;
    made.why = why;
    made.advice = advice;
    return made;
}

finding not_checked(const subject& of, std::string_view problem)
{
    finding made = fine(of, "not checked: " + std::string{problem});
    made.severity = severity::note;
    made.checked = false;
    made.why = "the doctor cannot tell whether this is set up well";
    if (problem.starts_with("no right for ")) {
        made.advice = "run the doctor as a user who has this right: docs/doctor.md";
    }
    return made;
}

std::string_view missing_info(const server_facts& of)
{
    return of.info.problem.empty() ? std::string_view{"INFO does not have it"}
                                   : std::string_view{of.info.problem};
}

std::string_view missing_setting(const server_facts& of)
{
    return of.config.problem().empty() ? std::string_view{"the server does not tell this setting"}
                                       : std::string_view{of.config.problem()};
}

std::string problem_in(const core::failure& why, std::string_view command)
{
    const std::string name{command};
    const auto has = [&](std::string_view word) {
        return why.detail.find(word) != std::string::npos;
    };
    if (has("NOPERM")) return "no right for " + name;
    if (has("unknown command") || has("nknown subcommand")) {
        return "the server does not have " + name;
    }
    return why.detail.empty() ? "no answer to " + name : name + ": " + why.detail;
}

std::string counted(std::size_t count, std::string_view one, std::string_view many)
{
    return (std::to_string(count) + ' ').append(count == 1 ? one : many);
}

std::string bytes(std::int64_t count)
{
    return in_units(static_cast<double>(count), sizes);
}

std::string span(std::chrono::nanoseconds length)
{
    return in_units(static_cast<double>(length.count()) / 1e3, times);
}

std::string listed(const std::vector<std::string>& names)
{
    std::string out;
    for (const auto& each : names) out += (out.empty() ? "" : ", ") + each;
    return out;
}

}  // namespace pawl::doctor
