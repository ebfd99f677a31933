#include "redis/peer.h"

#include <sys/socket.h>

namespace pawl::redis {
namespace {

std::optional<ucred> peer_of(int socket)
{
    ucred peer{};
    socklen_t length = sizeof peer;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return std::nullopt;
    return peer;
}

}  // namespace

std::optional<std::string> problem_with_peer(int socket, uid_t owner, const std::string& path)
{
    const auto peer = peer_of(socket);
    if (!peer) return "cannot find out which user runs the local server on " + path;
    if (peer->uid == owner) return std::nullopt;
    return "the local server on " + path + " belongs to user " + std::to_string(peer->uid) +
           ", not to you";
}

pid_t process_of_peer(int socket)
{
    const auto peer = peer_of(socket);
    return peer ? peer->pid : 0;
}

}  // namespace pawl::redis
