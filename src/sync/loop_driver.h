// Runs a machine to its end on the client's event loop: no thread waits. The other driver is
// blocking_driver.h.
#pragma once

#include "base/clock.h"
#include "base/platform.h"
#include "base/scheduler.h"
#include "core/machine.h"
#include "store/store.h"
#include "sync/async_call.h"
#include "sync/call.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

namespace pawl::sync {

class loop_driver final : public async_call, public std::enable_shared_from_this<loop_driver> {
public:
    // What a client has. The store outlives the event loop; it is null if the client is closed, and
    // then nothing runs on the loop any more.
    struct client_parts {
        base::platform& platform;
        base::scheduler& loop;
        store::store* store;
    };

    // `done` is called once, when the machine has its result: on the loop, or in abandon().
    using done_handler = std::function<void(loop_driver&)>;

    // A machine that cancel() leaves alone: it is about to give something back.
    loop_driver(const client_parts& client, std::unique_ptr<core::machine> what, done_handler done);

    // One that ends when `stop` is requested, or the client closes.
    loop_driver(const client_parts& client, std::unique_ptr<call> what, std::stop_token stop,
                done_handler done);

    void start() override;
    void cancel() override;
    void abandon() override;

private:
    void watch_for_stop();
    void proceed(const core::step& step);
    void send(const core::step& step);
    void wait_for_bell();
    void on_time();
    void finish();

    client_parts client_;
    std::unique_ptr<core::machine> machine_;
    const call* waiting_ = nullptr;  // machine_, if it can be woken and cancelled
    std::stop_token stop_;
    done_handler done_;  // none when it was called
    // On the heap: most calls have no stop token, and many wait at once.
    std::unique_ptr<std::stop_callback<std::function<void()>>> watch_;
    unsigned step_ = 0;  // an event that belongs to an earlier step is ignored
    std::optional<base::scheduler::timer> timer_;
};

}  // namespace pawl::sync
