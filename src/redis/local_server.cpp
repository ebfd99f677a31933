#include "redis/local_server.h"

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/unique_fd.h"
#include "redis/local_daemon.h"
#include "redis/local_link.h"
#include "redis/local_paths.h"

#include <pawl/error.h>
#include <pawl/local_server.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string_view>
#include <system_error>

namespace pawl::redis {
namespace {

using base::boot_clock;
using base::boot_time;

constexpr std::chrono::milliseconds short_pause{5};

// Those that start or stop the server take turns, so that none sees the half-done work of another.
class turn {
public:
    turn(const local_paths& paths, boot_time until);

    // By name, not just by closing: a process forked meanwhile by another thread has the file open
    // too.
    ~turn() { ::flock(fd_.get(), LOCK_UN); }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;

private:
    base::unique_fd fd_;
};

// Sleeps a little; false when `until` has passed.
[[nodiscard]] bool pause(boot_time until)
{
    const boot_time now = boot_clock::now();
    if (now >= until) return false;
    static_cast<void>(base::wait_for(-1, 0, std::min(until, now + short_pause), nullptr));
    return true;
}

turn::turn(const local_paths& paths, boot_time until)
    : fd_{::open(paths.start_lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR)}
{
    if (!fd_) {
        throw error{errc::refused, "cannot open " + paths.start_lock + ": " +
                                       std::generic_category().message(errno)};
    }
    while (::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) {
        if (pause(until)) continue;
        throw error{errc::unreachable,
                    "another process is starting or stopping the local server "
                    "and does not come to an end; it holds " +
                        paths.start_lock};
    }
}

// Whether a server is there that serves. One on its way out closes the connection: no, it does not.
[[nodiscard]] bool answers(const local_paths& paths, boot_time until)
{
    auto link = local_link::open(paths.socket, until);
    if (!link) return false;
    const auto reply = link->ask({"PING"}, until);
    return reply && !reply->is_error();
}

void wait_until_it_answers(const local_paths& paths, boot_time until)
{
    while (!answers(paths, until)) {
        if (!local_daemon_is_alive(paths)) {
            throw error{errc::unreachable, "the local server ended right after its start; " +
                                               paths.log_file + " may say why"};
        }
        if (pause(until)) continue;
        throw error{errc::unreachable, "the local server was started but does not listen on " +
                                           paths.socket + " yet; see " + paths.log_file};
    }
}

// With the turn held.
void start(const local_paths& paths, boot_time until)
{
    while (start_local_daemon(paths, until) == daemon_start::one_is_alive) {
        // A former server is about to end, or it got its breath back.
        if (answers(paths, until)) return;
        if (pause(until)) continue;
        throw error{errc::unreachable,
                    "a former local server has not ended and does not listen on " + paths.socket +
                        "; see " + paths.pid_file};
    }
    wait_until_it_answers(paths, until);
}

constexpr std::string_view fence_prefix = "pawl:fence:";

[[noreturn]] void unexpected(std::string_view command, const std::string& socket)
{
    throw error{errc::unreachable,
                "the local server on " + socket + " gave no fit answer to " + std::string{command}};
}

// Whatever key is no fence is a lock: the server serves nothing else.
[[nodiscard]] std::size_t count_locks(local_link& link, const std::string& socket, boot_time until)
{
    std::size_t locks = 0;
    std::string cursor = "0";
    do {
        const auto reply = link.ask({"SCAN", cursor, "COUNT", "100"}, until);
        if (!reply || reply->size() != 2) unexpected("SCAN", socket);
        const reply_view keys = (*reply)[1];
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (!keys[i].text().starts_with(fence_prefix)) ++locks;
        }
        cursor = (*reply)[0].text();
    } while (cursor != "0");
    return locks;
}

// Nobody acquires between the count and the end: writes wait until we have decided. A server that
// does not know how to pause is older than any that pawl is tested with, and is counted without.
void refuse_if_busy(local_link& link, const std::string& socket, boot_time until)
{
    static_cast<void>(link.ask({"CLIENT", "PAUSE", "2000", "WRITE"}, until));
    const std::size_t locks = count_locks(link, socket, until);
    if (locks == 0) return;
    static_cast<void>(link.ask({"CLIENT", "UNPAUSE"}, until));
    throw error{errc::busy, std::to_string(locks) + (locks == 1 ? " lock is" : " locks are") +
                                " held on the local server " + socket +
                                "; stopped by force, it takes them from their holders"};
}

// The server does not answer: it just ends, and with it the connection. Until then it could still
// remove the socket of its successor.
void shut_down(local_link& link, boot_time until)
{
    const auto reply = link.ask({"SHUTDOWN", "NOSAVE"}, until);
    if (reply) {
        throw error{errc::refused,
                    "the local server does not shut down: " + std::string{reply->text()}};
    }
}

void wait_until_gone(const local_paths& paths, boot_time until)
{
    while (local_daemon_is_alive(paths)) {
        if (pause(until)) continue;
        throw error{errc::unreachable, "the local server on " + paths.socket + " does not end"};
    }
}

}  // namespace

std::string ensure_local_server(std::chrono::milliseconds limit)
{
    const boot_time until = boot_clock::now() + limit;
    const local_paths paths = find_local_paths();
    make_safe_directory(paths);
    if (answers(paths, until)) return paths.socket;
    const turn ours{paths, until};
    if (!answers(paths, until)) start(paths, until);
    return paths.socket;
}

std::optional<failure> try_to_start_local_server(std::chrono::milliseconds limit)
{
    try {
        static_cast<void>(ensure_local_server(limit));
        return std::nullopt;
    } catch (const error& e) {
        const bool refused = e.code() == errc::refused;
        return failure{refused ? failure_kind::refused : failure_kind::unreachable, e.what()};
    } catch (const std::system_error& e) {
        // Out of descriptors: as bad as no network, and as likely to pass.
        return failure{failure_kind::unreachable, e.what()};
    }
}

}  // namespace pawl::redis

namespace pawl::local {
namespace {

using namespace redis;

constexpr std::chrono::seconds patience{2};

}  // namespace

status query()
{
    const auto until = base::boot_clock::now() + patience;
    const local_paths paths = find_local_paths();
    status found{.running = false, .pid = 0, .socket = paths.socket, .locks = 0};
    if (!has_safe_directory(paths)) return found;
    auto link = local_link::open(paths.socket, until);
    if (!link) return found;
    found.running = true;
    found.pid = link->server_pid();
    found.locks = count_locks(*link, paths.socket, until);
    return found;
}

void stop(bool force)
{
    const auto until = base::boot_clock::now() + patience;
    const local_paths paths = find_local_paths();
    if (!has_safe_directory(paths)) return;
    const turn ours{paths, until};
    auto link = local_link::open(paths.socket, until);
    if (!link) return;
    if (force && link->server_pid() > 0) {
        // Nothing is to be saved, and a frozen server would not hear any other word.
        ::kill(link->server_pid(), SIGKILL);
    } else {
        if (!force) refuse_if_busy(*link, paths.socket, until);
        shut_down(*link, until);
    }
    wait_until_gone(paths, until + patience);
}

}  // namespace pawl::local
