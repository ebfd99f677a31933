// The connection to a memory server. It fails like a connection over a socket: without a connection
// nothing is sent, and with one a request may have arrived although no reply came.
//
// If a request gets no reply in time, the connection has ended, and so has listening. A client that
// is cut off and makes no requests does not notice. Listening begins again as soon as the server
// can be reached. No new attempt is needed, because the SUBSCRIBE stays on its way until then.
#pragma once

#include "base/scheduler.h"
#include "redis/transport.h"
#include "store/memory/platform.h"
#include "store/memory/server.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::store::memory {

class transport final : public redis::transport {
public:
    // `loop` must outlive the transport. Stop the loop before the transport is destroyed.
    transport(base::clocked_scheduler& loop, std::shared_ptr<platform> where, limits within);
    ~transport() override;
    transport(const transport&) = delete;
    transport& operator=(const transport&) = delete;

    std::optional<redis::failure> call(
        const writer& request, const waiting& how,
        const std::function<void(const redis::reply_view&)>& read) override;
    void submit(writer request, std::chrono::milliseconds patience, reader done) override;
    void connect() override;
    void listen(std::string channel, redis::listener& who) override;
    [[nodiscard]] const std::string& shown() const noexcept override { return server_->shown(); }

private:
    // A request that was made on the loop.
    struct pending {
        request_ptr asked;
        reader done;
        std::optional<base::scheduler::timer> timer;
    };

    [[nodiscard]] request_ptr make_request(const writer& write, bool connected) const;
    void answered(std::uint64_t number);
    void close(const redis::failure& why);
    void subscribe();
    void subscribed();
    void heard(std::string_view message);

    base::clocked_scheduler* loop_;
    std::shared_ptr<platform> where_;
    server* server_;
    limits limits_;

    // Whether there is a connection, as far as it is known: for blocking callers, and for the loop.
    std::atomic<bool> pool_connected_{false};
    bool loop_connected_ = false;
    base::boot_time since_;  // a memory server is never restarted

    // Used on the loop only.
    std::map<std::uint64_t, pending> pending_;  // in the order in which they were made
    std::uint64_t last_number_ = 0;
    redis::listener* listener_ = nullptr;  // null: there is none
    std::string channel_;
    bool listening_ = false;
};

}  // namespace pawl::store::memory
