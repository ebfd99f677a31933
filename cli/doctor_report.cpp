#include "doctor_report.h"

#include "exit_code.h"
#include "lock_text.h"
#include "page.h"

#include <pawl/version.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace pawl::cli {
namespace {

using json = nlohmann::ordered_json;

constexpr std::array worst_first{severity::fault, severity::warning, severity::note, severity::ok};

[[nodiscard]] std::string joined(const std::vector<std::string>& parts)
{
    std::string all;
    for (const auto& each : parts) all += (all.empty() ? "" : ", ") + each;
    return all;
}

// A finding, and the servers that share it.
struct shared_finding {
    const finding* first;
    std::vector<std::string> servers;
};

[[nodiscard]] bool is_same(const finding& one, const finding& other)
{
    return one.check == other.check && one.seen == other.seen && one.why == other.why;
}

[[nodiscard]] std::string paragraph_of(std::string_view label, const std::string& text)
{
    constexpr std::size_t left = 12;
    if (text.empty()) return {};
    std::string line = "      " + std::string{label};
    line.resize(left, ' ');
    return line + wrapped(printable(text), left, left);
}

[[nodiscard]] std::string text_of(const shared_finding& of, bool with_servers)
{
    const std::string title = "  " + of.first->check + ": ";
    return title + wrapped(printable(of.first->seen), 6, title.size()) +
           (with_servers ? paragraph_of("at", joined(of.servers)) : "") +
           paragraph_of("why", of.first->why) + paragraph_of("do", of.first->advice);
}

[[nodiscard]] json json_of(const finding& of)
{
    return {
        {"check", of.check},     {"severity", to_string(of.severity)},
        {"checked", of.checked}, {"server", of.server.empty() ? json(nullptr) : json(of.server)},
        {"seen", of.seen},       {"why", of.why},
        {"advice", of.advice}};
}

[[nodiscard]] std::string heading(severity of)
{
    switch (of) {
    case severity::fault: return "Faults";
    case severity::warning: return "Warnings";
    case severity::note: return "Notes";
    case severity::ok: break;
    }
    return "Fine";
}

}  // namespace

doctor_report::doctor_report(std::string server, std::vector<finding> all)
    : server_{std::move(server)}, all_{std::move(all)}
{
    std::set<std::string> servers;
    for (const auto& each : all_) {
        if (!each.server.empty()) servers.insert(each.server);
    }
    has_several_servers_ = servers.size() > 1;
}

std::size_t doctor_report::count(severity of) const
{
    return static_cast<std::size_t>(std::ranges::count_if(
        all_, [&](const auto& each) { return each.checked && each.severity == of; }));
}

severity doctor_report::worst() const
{
    severity found = severity::ok;
    for (const auto& each : all_) found = std::max(found, each.severity);
    return found;
}

std::string doctor_report::part(severity of) const
{
    std::vector<shared_finding> shown;
    for (const auto& each : all_) {
        if (!each.checked || each.severity != of) continue;
        const auto same = std::ranges::find_if(
            shown, [&](const auto& other) { return is_same(*other.first, each); });
        if (same == shown.end()) {
            shown.push_back({&each, {each.server}});
        } else {
            same->servers.push_back(each.server);
        }
    }
    std::string text;
    for (const auto& each : shown) {
        const bool names_server = has_several_servers_ && !each.first->server.empty();
        text += text_of(each, names_server);
    }
    return text.empty() ? text : heading(of) + "\n" + text + "\n";
}

// The checks with the same reason are in one paragraph.
std::string doctor_report::unchecked() const
{
    std::map<std::string, std::vector<std::string>> checks;
    for (const auto& each : all_) {
        if (each.checked) continue;
        auto& names = checks[each.seen];
        if (std::ranges::find(names, each.check) == names.end()) names.push_back(each.check);
    }
    std::string text;
    for (const auto& [reason, names] : checks) {
        constexpr std::string_view known = "not checked: ";
        const auto why =
            reason.starts_with(known) ? reason.substr(known.size()) : std::string{reason};
        text += "  " + wrapped(printable(joined(names) + ": " + why), 2, 2);
    }
    return text.empty() ? text : "Not checked\n" + text + "\n";
}

std::string doctor_report::sum() const
{
    const auto counted = [](std::size_t count, const std::string& word) {
        return std::to_string(count) + ' ' + word + (count == 1 ? "" : "s");
    };
    const auto open = std::ranges::count(all_, false, &finding::checked);
    return server_ + ": " + counted(count(severity::fault), "fault") + ", " +
           counted(count(severity::warning), "warning") + ", " +
           counted(count(severity::note), "note") + ", " + std::to_string(count(severity::ok)) +
           " fine, " + std::to_string(open) + " not checked\n";
}

std::string doctor_report::as_text(bool verbose) const
{
    std::string text;
    for (const auto each : worst_first) {
        if (each != severity::ok || verbose) text += part(each);
    }
    return text + unchecked() + sum();
}

std::string doctor_report::as_json() const
{
    json findings = json::array();
    for (const auto each : worst_first) {
        for (const auto& one : all_) {
            if (one.severity == each) findings.push_back(json_of(one));
        }
    }
    json counts = json::object();
    for (const auto each : worst_first) counts[std::string{to_string(each)}] = count(each);
    counts["not_checked"] = std::ranges::count(all_, false, &finding::checked);
    const json all{{"pawl", version()},
                   {"server", server_},
                   {"severity", to_string(worst())},
                   {"exit_status", exit_status()},
                   {"counts", std::move(counts)},
                   {"findings", std::move(findings)}};
    return all.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

// If there is nothing but servers that cannot be examined, the status is that of other commands.
int doctor_report::exit_status() const
{
    const auto is = [](std::string_view name) {
        return [name](const finding& each) { return each.check == name; };
    };
    const auto of_server = [](const finding& each) {
        return each.severity == severity::ok && each.check == "reachable";
    };
    if (std::ranges::none_of(all_, of_server)) {
        if (std::ranges::any_of(all_, is("login"))) return exit_code::refused;
        if (std::ranges::any_of(all_, is("reachable"))) return exit_code::unreachable;
    }
    switch (worst()) {
    case severity::fault: return exit_code::faults;
    case severity::warning: return exit_code::warnings;
    default: return exit_code::ok;
    }
}

}  // namespace pawl::cli
