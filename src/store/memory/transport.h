// The way to a memory server. It fails as the way over a socket does: without a connection nothing
// is sent, and with one a request may have arrived though no answer came.
//
// Listening ends with the connection, when silence is taken for its end: a client that is cut off and
// asks for nothing does not notice. It begins anew as soon as the server can be reached, and nothing
// has to be tried for that: the SUBSCRIBE stays on its way until then.
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
    // `loop` must outlive the transport, which must be destroyed when the loop has stopped.
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
    // Asked on the loop.
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

    // Whether there is a connection, as far as we know: for those who wait, and for the loop.
    std::atomic<bool> pool_connected_{false};
    bool loop_connected_ = false;
    base::boot_time since_;  // a memory server is never restarted

    // The loop's own.
    std::map<std::uint64_t, pending> pending_;  // in the order in which they were asked
    std::uint64_t last_number_ = 0;
    redis::listener* listener_ = nullptr;  // nobody listens
    std::string channel_;
    bool listening_ = false;
};

}  // namespace pawl::store::memory
