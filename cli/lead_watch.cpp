#include "lead_watch.h"

#include "exit_code.h"
#include "interruption.h"
#include "signals.h"

#include <pawl/client.h>
#include <pawl/error.h>
#include <pawl/leader.h>

#include <cstdint>
#include <iostream>
#include <optional>
#include <string>

namespace pawl::cli {
namespace {

// A payload may have any bytes, but it is one line here.
[[nodiscard]] std::string line_of(const std::optional<leader_info>& who)
{
    std::string line = who ? who->payload : "";
    for (char& c : line) {
        if (c == '\n' || c == '\r' || c == '\0') c = '?';
    }
    return line;
}

}  // namespace

ending show_leader(const lead_options& options)
{
    const signals signals;
    client client{client_options{.url = options.server.url}};
    pawl::leader where{client, options.key};
    const interruption by_signal{signals, interruption::ends_process::first_signal};
    const auto who = where.current();
    if (!who) return ending::with(exit_code::not_acquired);
    std::cout << line_of(who) << '\n' << std::flush;
    return ending::with(exit_code::ok);
}

ending watch_leaders(const lead_options& options)
{
    const signals signals;
    client client{client_options{.url = options.server.url}};
    pawl::leader where{client, options.key};
    interruption by_signal{signals};
    for (;;) {
        const auto who = where.current();
        std::cout << line_of(who) << '\n' << std::flush;
        // If the reader of the lines has gone, there is nothing left to do.
        if (!std::cout) break;
        std::error_code ec;
        where.changed_since(who ? who->fence : 0).wait(by_signal.token(), ec);
        if (ec == errc::cancelled) break;
        if (ec) throw error{static_cast<errc>(ec.value()), "watch: " + ec.message()};
    }
    if (const int signal = by_signal.finish(); signal != 0) return ending::by(signal);
    return ending::with(exit_code::ok);
}

}  // namespace pawl::cli
