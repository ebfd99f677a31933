// The number of requests that clients sent, and how long the server worked for them.
//
// INFO counts commands of scripts like those of clients, both in total_commands_processed and by
// command. So MONITOR, which distinguishes the two, is read for a while before the measurement: it
// shows which commands clients send by themselves. The measured rounds then count those in INFO
// commandstats, which costs nothing. The time of a script includes that of its commands.
#pragma once

#include "cpu_clock.h"
#include "raw_connection.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace pawl::bench {

// By lower-case name. Subcommands count as their command.
class sent_by_clients {
public:
    void note(std::string_view monitor_line);

    // The share of this command's calls that came from clients and not from scripts. A command that
    // was never seen counts fully: rather too many than too few.
    [[nodiscard]] double share(const std::string& command) const;

private:
    struct seen {
        std::uint64_t by_clients = 0;
        std::uint64_t by_scripts = 0;
    };
    std::map<std::string, seen> seen_;
};

struct server_load {
    double commands = 0;
    double us = 0;       // executing commands, as INFO says
    double replies = 0;  // writes to clients: replies that are sent together count once
    double cpu_us = 0;   // processor time of the server, including reading and writing
};

class server_counts {
public:
    explicit server_counts(const std::string& url);

    // Empties the server, so that each round finds the same state.
    void flush();

    // Marks the server as a node of a quorum that has not lost anything. Otherwise it would not vote for a minute,
    // because it is new, or was emptied.
    void end_quarantine();

    // Monitors the server for that long, or until `over` returns true.
    [[nodiscard]] sent_by_clients listen(std::chrono::milliseconds how_long) const;
    [[nodiscard]] sent_by_clients listen(const std::function<bool()>& over) const;

    // Counts from zero.
    void reset();

    // Since reset(), without the counting itself.
    [[nodiscard]] server_load load(const sent_by_clients& sent);

    [[nodiscard]] std::string version();

private:
    // The value of `name:value` in that section of INFO.
    [[nodiscard]] std::string info(std::string_view section, const std::string& name);

    std::string url_;
    raw_connection connection_;
    cpu_clock cpu_;
    double cpu_at_reset_us_ = 0;
};

}  // namespace pawl::bench
