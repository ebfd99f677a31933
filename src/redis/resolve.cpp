#include "redis/resolve.h"

#include "base/signal_free_thread.h"

#include <netdb.h>
#include <sys/eventfd.h>
#include <sys/un.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstring>

namespace pawl::redis {

struct resolution::shared {
    common::unique_fd event;
    std::vector<socket_address> addresses;  // the resolver's thread owns these two until finished
    std::string problem;
    std::atomic<bool> finished{false};

    // False if `flags` allow only numeric addresses and it is not one.
    bool look_up(const std::string& host, std::uint16_t port, int flags)
    {
        addrinfo hints{};
        hints.ai_family = AF_UNSPEC;
        hints.ai_socktype = SOCK_STREAM;
        hints.ai_flags = flags | AI_NUMERICSERV;
        addrinfo* found = nullptr;
        const int result =
            ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
        if (result == EAI_NONAME && (flags & AI_NUMERICHOST) != 0) return false;
        if (result != 0) problem = "host '" + host + "': " + ::gai_strerror(result);
        for (const auto* at = found; at != nullptr; at = at->ai_next) {
            auto& address = addresses.emplace_back();
            address.length = at->ai_addrlen;
            std::memcpy(&address.storage, at->ai_addr, at->ai_addrlen);
        }
        if (found != nullptr) ::freeaddrinfo(found);
        finish();
        return true;
    }

    void finish() noexcept
    {
        finished = true;
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = ::write(event.get(), &one, sizeof one);
    }
};

resolution::resolution(const std::string& host, std::uint16_t port)
    : shared_{std::make_shared<shared>()}
{
    shared_->event = common::unique_fd{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd"};
    if (shared_->look_up(host, port, AI_NUMERICHOST)) return;
    base::signal_free_thread([shared = shared_, host, port] {
        shared->look_up(host, port, 0);
    }).detach();
}

int resolution::fd() const noexcept
{
    return shared_->event.get();
}

bool resolution::finished() const noexcept
{
    return shared_->finished;
}

const std::vector<socket_address>& resolution::addresses() const noexcept
{
    return shared_->addresses;
}

const std::string& resolution::problem() const noexcept
{
    return shared_->problem;
}

socket_address unix_address(const std::string& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    assert(path.size() < sizeof address.sun_path);
    std::ranges::copy(path, std::begin(address.sun_path));
    socket_address out;
    out.length = sizeof address;
    std::memcpy(&out.storage, &address, sizeof address);
    return out;
}

}  // namespace pawl::redis
