// pawl::client is this process's membership of a store: connections, renewals and events.
// Locks borrow it; make one per process and server and pass it by reference.
//
//   pawl::client client{"redis://127.0.0.1:6379"};
//
//   state         what may be called
//   alive         everything, from any thread
//   destroyed     nothing; holds that are left are told `lost` (cause `closed`) and are no longer
//                 renewed, but not released: whoever works under one is not robbed of his lease
//   forked        in a child process everything fails with errc::wrong_process, and destruction
//                 touches nothing of the parent's
#pragma once

#include <pawl/event.h>
#include <pawl/export.h>
#include <pawl/options.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace pawl {

namespace sync {
class client_state;
}

// One line about a hold that is alive in this client.
struct hold_info {
    std::string lock;
    std::string id;
    std::uint64_t fence{};
    hold_state state{};
    std::chrono::nanoseconds valid_for{};
};

class PAWL_EXPORT client {
public:
    // Checks the options and starts the client's thread. No round trip: connections are made when
    // first needed. So are the threads that tell of a loss, before the first lock is asked for. Throws
    // pawl::error (bad_argument).
    explicit client(std::string_view url);
    explicit client(client_options options);

    // Ends renewals and closes all connections. Returns within the shutdown limit, whatever the
    // server does. May be called from an event handler of this client.
    ~client();

    client(const client&) = delete;
    client& operator=(const client&) = delete;

    // Asks the server for a sign of life. One round trip. Throws pawl::error (unreachable, refused,
    // wrong_process).
    void ping();
    void ping(std::error_code& ec) noexcept;

    // The holds of this client that are neither lost nor released. No round trip.
    [[nodiscard]] std::vector<hold_info> holds() const;

    // 32 hexadecimal digits, new for each client.
    [[nodiscard]] const std::string& id() const noexcept;

    // Where the client connects to, without any password.
    [[nodiscard]] const std::string& server() const noexcept;

private:
    friend class lockable;
    friend struct client_access;

    explicit client(std::shared_ptr<sync::client_state> state) noexcept;

    std::shared_ptr<sync::client_state> state_;
};

}  // namespace pawl
