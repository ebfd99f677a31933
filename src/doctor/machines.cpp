#include "doctor/machines.h"

#include "redis/resolve.h"

#include <arpa/inet.h>
#include <poll.h>

#include <array>
#include <cerrno>
#include <string>

namespace pawl::doctor {
namespace {

// All addresses that lead to the machine on which the doctor runs.
constexpr const char* this_machine = "this machine";

std::string text_of(const redis::socket_address& of)
{
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (of.storage.ss_family == AF_INET) {
        const auto* const at = reinterpret_cast<const sockaddr_in*>(&of.storage);
        const bool is_loopback = (ntohl(at->sin_addr.s_addr) >> 24U) == 127;
        if (is_loopback) return this_machine;
        inet_ntop(AF_INET, &at->sin_addr, text.data(), text.size());
    } else if (of.storage.ss_family == AF_INET6) {
        const auto* const at = reinterpret_cast<const sockaddr_in6*>(&of.storage);
        if (IN6_IS_ADDR_LOOPBACK(&at->sin6_addr)) return this_machine;
        inet_ntop(AF_INET6, &at->sin6_addr, text.data(), text.size());
    }
    return text.data();
}

// Until it can be read, or the time is over.
void wait_for(int fd, std::chrono::milliseconds limit)
{
    using std::chrono::milliseconds;
    using std::chrono::steady_clock;
    const auto end = steady_clock::now() + limit;
    for (auto left = limit; left.count() > 0;
         left = std::chrono::ceil<milliseconds>(end - steady_clock::now())) {
        pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
        if (::poll(&ready, 1, static_cast<int>(left.count())) >= 0 || errno != EINTR) return;
    }
}

place place_of(const redis::server_config& config, std::chrono::milliseconds limit)
{
    place got{.server = config.shown};
    if (config.where.what != redis::address::kind::tcp) {
        got.addresses.insert(this_machine);
        return got;
    }
    const redis::resolution host{config.where.host, config.where.port};
    if (!host.finished()) {
        wait_for(host.fd(), limit);
    }
    if (!host.finished()) return got;
    for (const auto& each : host.addresses()) got.addresses.insert(text_of(each));
    return got;
}

}  // namespace

std::vector<place> places_of(const redis::deployment& where, std::chrono::milliseconds limit)
{
    std::vector<place> all;
    all.reserve(where.servers.size());
    for (const auto& each : where.servers) all.push_back(place_of(each, limit));
    return all;
}

}  // namespace pawl::doctor
