#include "server_counts.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace pawl::bench {
namespace {

std::string lower(std::string_view text)
{
    std::string result{text};
    std::ranges::transform(result, result.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

bool is_our_own(std::string_view command)
{
    return command == "config" || command == "info" || command == "monitor" ||
           command == "flushall";
}

double number_after(const std::string& line, std::string_view label)
{
    const std::size_t at = line.find(label);
    return at == line.npos ? 0 : std::stod(line.substr(at + label.size()));
}

// The value of `name:value` in what INFO says.
std::string field(const std::string& info, const std::string& name)
{
    const std::size_t at = info.find(name + ":");
    if (at == info.npos) return "unknown";
    const std::size_t from = at + name.size() + 1;
    return info.substr(from, info.find('\r', from) - from);
}

}  // namespace

// 1700000000.123456 [0 127.0.0.1:40000] "EVALSHA" … and, called by a script, [0 lua] "GET" …
void sent_by_clients::note(std::string_view monitor_line)
{
    const std::size_t bracket = monitor_line.find("] \"");
    if (bracket == monitor_line.npos) return;
    const std::string_view source = monitor_line.substr(0, bracket);
    const std::string_view rest = monitor_line.substr(bracket + 3);
    seen& counts = seen_[lower(rest.substr(0, rest.find('"')))];
    ++(source.ends_with(" lua") ? counts.by_scripts : counts.by_clients);
}

double sent_by_clients::share(const std::string& command) const
{
    const auto found = seen_.find(command);
    if (found == seen_.end()) return 1;
    const auto by_clients = static_cast<double>(found->second.by_clients);
    return by_clients / (by_clients + static_cast<double>(found->second.by_scripts));
}

void server_counts::flush()
{
    connection_.ask(request({"FLUSHALL"}));
}

sent_by_clients server_counts::listen(std::chrono::milliseconds how_long) const
{
    using clock = std::chrono::steady_clock;
    using std::chrono::milliseconds;
    sent_by_clients heard;
    raw_connection monitor{url_};
    monitor.ask(request({"MONITOR"}));
    const auto end = clock::now() + how_long;
    for (auto left = how_long; left.count() > 0;
         left = std::chrono::duration_cast<milliseconds>(end - clock::now())) {
        if (const auto line = monitor.line_within(left)) heard.note(*line);
    }
    return heard;
}

void server_counts::reset()
{
    connection_.ask(request({"CONFIG", "RESETSTAT"}));
}

// cmdstat_client|setname:calls=8,usec=21,usec_per_call=2.63,…
server_load server_counts::load(const sent_by_clients& sent)
{
    constexpr std::string_view start = "cmdstat_";
    server_load sum;
    std::istringstream lines{connection_.ask_text(request({"INFO", "commandstats"}))};
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(start)) continue;
        const std::string command =
            line.substr(start.size(), line.find_first_of("|:") - start.size());
        if (is_our_own(command)) continue;
        const double share = sent.share(command);
        sum.commands += share * number_after(line, ":calls=");
        sum.us += share * number_after(line, ",usec=");
    }
    return sum;
}

std::string server_counts::version()
{
    return field(connection_.ask_text(request({"INFO", "server"})), "redis_version");
}

}  // namespace pawl::bench
