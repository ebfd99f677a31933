// The connections to the present primary. They report trouble, and are left all at once when another server
// becomes the primary.
#pragma once

#include "base/event_loop.h"
#include "redis/socket_transport.h"
#include "redis/transport.h"

#include <functional>
#include <stop_token>
#include <string>

namespace pawl::store {

class primary_transport final : public redis::transport {
public:
    // `trouble` is called from any thread: a connection failed, or a reply says that the server cannot grant
    // locks now. Throws pawl::error (bad_argument).
    primary_transport(base::event_loop& loop, redis::server_config config, std::size_t pool_size,
                      limits within, std::function<void()> trouble);

    std::optional<redis::failure> call(
        const writer& request, const waiting& how,
        const std::function<void(const redis::reply_view&)>& read) override;
    void submit(writer request, std::chrono::milliseconds patience, reader done) override;
    void submit_apart(writer request, std::chrono::milliseconds patience, reader done) override;
    void connect() override { inner_.connect(); }
    void listen(std::string channel, redis::listener& who) override
    {
        inner_.listen(std::move(channel), who);
    }
    [[nodiscard]] const std::string& shown() const noexcept override { return inner_.shown(); }

    // On the loop only: asks whether the server answers and is a primary. `done` gets the failure if not. A
    // server that refuses this client does answer. This reports no trouble.
    void probe(std::function<void(const redis::failure*)> done);

    // On the loop only, and not from a handler of this transport: another server is the primary. Closes all
    // connections. Requests under way fail, in all threads, and may be repeated.
    void leave();

private:
    [[nodiscard]] redis::failure with_address(redis::failure what) const;
    [[nodiscard]] reader noting(reader done) const;
    void note(const redis::reply_view& reply) const;
    void note(const redis::failure& problem) const;

    std::function<void()> trouble_;
    std::stop_source left_;  // interrupts the calls of other threads
    redis::socket_transport inner_;
};

}  // namespace pawl::store
