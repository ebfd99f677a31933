#include "redis/local_server.h"

#include "base/clock.h"
#include "redis/local_daemon.h"
#include "redis/local_link.h"
#include "redis/local_paths.h"
#include "redis/local_turn.h"

#include <pawl/error.h>

namespace pawl::redis {
namespace {

using base::boot_clock;
using base::boot_time;

// Whether a server answers. A server that is shutting down closes the connection, and does not
// count.
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

// The caller must hold the local_turn.
void start(const local_paths& paths, boot_time until)
{
    while (start_local_daemon(paths, until) == daemon_start::one_is_alive) {
        // The former server is shutting down, or it answers again.
        if (answers(paths, until)) return;
        if (pause(until)) continue;
        throw error{errc::unreachable,
                    "the former local server has not ended and does not listen on " + paths.socket +
                        "; `pawl local stop --force` ends it"};
    }
    wait_until_it_answers(paths, until);
}

}  // namespace

std::string ensure_local_server(std::chrono::milliseconds limit)
{
    const boot_time until = boot_clock::now() + limit;
    const local_paths paths = find_local_paths();
    make_safe_directory(paths);
    if (answers(paths, until)) return paths.socket;
    const local_turn ours{paths, until};
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
        // Out of descriptors. Like a network failure, this may pass.
        return failure{failure_kind::unreachable, e.what()};
    }
}

}  // namespace pawl::redis
