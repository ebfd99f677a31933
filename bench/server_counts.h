// What clients asked of the server, and how long it worked for that.
//
// INFO counts what scripts call like what clients send, both in total_commands_processed and by
// command. So MONITOR, which tells the two apart, listens for a while before anything is measured:
// it says which commands clients send themselves. Measured rounds then count those in INFO
// commandstats, which costs nothing. The time of a script includes that of what it calls.
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

// By lower-case name; subcommands count as their command.
class sent_by_clients {
public:
    void note(std::string_view monitor_line);

    // The share of this command's calls that clients sent themselves, not scripts. A command that
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
    double replies = 0;  // writes to clients: replies that go out together count once
    double cpu_us = 0;   // processor time of the server: reading and writing count too
};

class server_counts {
public:
    explicit server_counts(const std::string& url);

    // An empty server, as each round should find it.
    void flush();

    // Listens to the server for that long, or until `over` says so.
    [[nodiscard]] sent_by_clients listen(std::chrono::milliseconds how_long) const;
    [[nodiscard]] sent_by_clients listen(const std::function<bool()>& over) const;

    // Counts from zero.
    void reset();

    // Since reset(), the counting itself left out.
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
