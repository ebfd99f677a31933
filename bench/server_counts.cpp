#include "server_counts.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <stdexcept>

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

server_counts::server_counts(const std::string& url)
    : url_{url}, connection_{url}, cpu_{std::stoi(info("server", "process_id"))}
{
}

void server_counts::flush()
{
    connection_.ask(request({"FLUSHALL"}));
}

void server_counts::end_quarantine()
{
    // The run of the server, and since when it is known, in ms.
    connection_.ask(request({"SET", "pawl:node", info("server", "run_id") + " 0000000000001"}));
}

sent_by_clients server_counts::listen(std::chrono::milliseconds how_long) const
{
    const auto end = std::chrono::steady_clock::now() + how_long;
    return listen([end] { return std::chrono::steady_clock::now() >= end; });
}

sent_by_clients server_counts::listen(const std::function<bool()>& over) const
{
    using namespace std::chrono_literals;
    sent_by_clients heard;
    raw_connection monitor{url_};
    monitor.ask(request({"MONITOR"}));
    while (!over()) {
        // Lines that have arrived are taken at once: the server has to buffer what is not read.
        for (auto line = monitor.line_within(10ms); line; line = monitor.line_at_hand()) {
            heard.note(*line);
        }
    }
    return heard;
}

void server_counts::reset()
{
    connection_.ask(request({"CONFIG", "RESETSTAT"}));
    cpu_at_reset_us_ = cpu_.us();
}

// cmdstat_client|setname:calls=8,usec=21,usec_per_call=2.63,…
server_load server_counts::load(const sent_by_clients& sent)
{
    constexpr std::string_view start = "cmdstat_";
    server_load sum;
    sum.cpu_us = cpu_.us() - cpu_at_reset_us_;
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
    // Without that of CONFIG RESETSTAT. load() itself made two requests, one of which was answered.
    sum.replies = std::stod(info("stats", "total_writes_processed")) - 2;
    return sum;
}

std::string server_counts::version()
{
    return info("server", "redis_version");
}

std::string server_counts::info(std::string_view section, const std::string& name)
{
    const std::string text = connection_.ask_text(request({"INFO", section}));
    const std::size_t at = text.find("\n" + name + ":");
    if (at == text.npos) throw std::runtime_error{"the server does not report " + name};
    const std::size_t from = at + name.size() + 2;
    return text.substr(from, text.find('\r', from) - from);
}

}  // namespace pawl::bench
