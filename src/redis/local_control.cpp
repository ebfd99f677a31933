// pawl::local: the functions that manage the private server of `local:`.
#include "base/clock.h"
#include "redis/local_census.h"
#include "redis/local_daemon.h"
#include "redis/local_link.h"
#include "redis/local_paths.h"
#include "redis/local_processes.h"
#include "redis/local_turn.h"

#include <pawl/error.h>
#include <pawl/local_server.h>

#include <signal.h>

#include <optional>

namespace pawl::local {
namespace {

using namespace redis;
using base::boot_time;

constexpr std::chrono::seconds patience{2};

// The server can never be reached again, because it does not create its socket a second time.
[[noreturn]] void no_socket(const local_paths& paths)
{
    throw error{errc::unreachable,
                "the local server is running, but does not listen on " + paths.socket +
                    " (the socket file may have been removed); `pawl local stop --force` "
                    "ends it"};
}

// The pause blocks writes, so that no lock is acquired between the count and the shutdown. Servers
// without CLIENT PAUSE WRITE are older than those that pawl is tested with. For them the count is
// done without a pause.
void refuse_if_busy(local_link& link, const std::string& socket, boot_time until)
{
    static_cast<void>(link.ask({"CLIENT", "PAUSE", "2000", "WRITE"}, until));
    const std::size_t locks = count_locks(link, socket, until);
    if (locks == 0) return;
    static_cast<void>(link.ask({"CLIENT", "UNPAUSE"}, until));
    throw error{errc::busy, std::to_string(locks) + (locks == 1 ? " lock is" : " locks are") +
                                " held on the local server " + socket +
                                "; if the server is stopped by force, their holders lose them"};
}

// The server does not reply: it ends, and closes the connection. The caller must wait for that,
// because until then the server could still remove the socket of its successor.
void shut_down(local_link& link, boot_time until)
{
    const auto reply = link.ask({"SHUTDOWN", "NOSAVE"}, until);
    if (reply) {
        throw error{errc::refused,
                    "the local server does not shut down: " + std::string{reply->text()}};
    }
}

void end_politely(const local_paths& paths, boot_time until)
{
    auto link = local_link::open(paths.socket, until);
    if (link) {
        refuse_if_busy(*link, paths.socket, until);
        shut_down(*link, until);
    } else if (local_daemon_is_alive(paths)) {
        no_socket(paths);
    }
}

// There is nothing to save, and a frozen server would not answer a command.
void end_by_force(const local_paths& paths, boot_time until)
{
    const auto found = find_local_daemons(paths);
    for (const pid_t pid : found) ::kill(pid, SIGKILL);
    if (!found.empty()) return;
    // It may be in another PID namespace. Then it can only be reached through its socket.
    auto link = local_link::open(paths.socket, until);
    if (!link) return;
    if (link->server_pid() > 0) {
        ::kill(link->server_pid(), SIGKILL);
    } else {
        shut_down(*link, until);
    }
}

void wait_until_gone(const local_paths& paths, boot_time until)
{
    // Both checks are needed: the lock file may have been removed, and the process may be invisible
    // from here.
    while (local_daemon_is_alive(paths) || !find_local_daemons(paths).empty()) {
        if (pause(until)) continue;
        throw error{errc::unreachable, "the local server on " + paths.socket + " does not end"};
    }
}

// Nothing if there is no server. If one is starting, it waits for it.
[[nodiscard]] std::optional<local_link> reach(const local_paths& paths, boot_time until)
{
    for (;;) {
        auto link = local_link::open(paths.socket, until);
        if (link || !local_daemon_is_alive(paths)) return link;
        if (!pause(until)) no_socket(paths);
    }
}

}  // namespace

status query()
{
    const boot_time until = base::boot_clock::now() + patience;
    const local_paths paths = find_local_paths();
    status found{.running = false, .pid = 0, .socket = paths.socket, .locks = 0};
    if (!has_safe_directory(paths)) return found;
    auto link = reach(paths, until);
    if (!link) return found;
    found.running = true;
    found.pid = link->server_pid();
    found.locks = count_locks(*link, paths.socket, until);
    return found;
}

void stop(bool force)
{
    const boot_time until = base::boot_clock::now() + patience;
    const local_paths paths = find_local_paths();
    if (!has_safe_directory(paths)) return;
    const local_turn ours{paths, until};
    if (force) {
        end_by_force(paths, until);
    } else {
        end_politely(paths, until);
    }
    wait_until_gone(paths, until + patience);
}

}  // namespace pawl::local
