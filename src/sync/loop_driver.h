// Runs a machine to its end on the client's event loop: no thread waits. The other driver is
// blocking_driver.h.
#pragma once

#include "base/clock.h"
#include "base/platform.h"
#include "base/scheduler.h"
#include "core/machine.h"
#include "store/store.h"
#include "sync/async_call.h"
#include "sync/bell.h"
#include "sync/call.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

namespace pawl::sync {

// Thousands of calls may wait at once, so each should be small: the driver itself is the bell, and its
// handler is in the same block of memory.
class loop_driver : public async_call,
                    public bell,
                    public bell_source,
                    public std::enable_shared_from_this<loop_driver> {
public:
    // What a client has. The store outlives the event loop; it is null if the client is closed, and
    // then nothing runs on the loop any more.
    struct client_parts {
        base::platform& platform;
        base::scheduler& loop;
        store::store* store;
    };

    // `done` is called once with the driver, when the machine has its result: on the loop, or in abandon().
    // The first form is for a machine that cancel() leaves alone: it is about to give something back. In
    // the second form, the machine ends when `stop` is requested, or the client closes.
    template <class Done>
    [[nodiscard]] static std::shared_ptr<loop_driver> make(const client_parts& client,
                                                           std::unique_ptr<core::machine> what,
                                                           Done done)
    {
        return std::make_shared<with<Done>>(std::move(done), client, std::move(what));
    }
    template <class Done>
    [[nodiscard]] static std::shared_ptr<loop_driver> make(const client_parts& client,
                                                           std::unique_ptr<call> what,
                                                           std::stop_token stop, Done done)
    {
        return std::make_shared<with<Done>>(std::move(done), client, std::move(what),
                                            std::move(stop));
    }

    void start() override;
    void cancel() override;
    void abandon() override;

    void ring() override;
    [[nodiscard]] std::weak_ptr<bell> new_bell() override;

private:
    template <class Done>
    class with;

    loop_driver(const client_parts& client, std::unique_ptr<core::machine> what);
    loop_driver(const client_parts& client, std::unique_ptr<call> what, std::stop_token stop);

    virtual void tell() = 0;  // calls `done`

    void watch_for_stop();
    void proceed(const core::step& step);
    void send(const core::step& step);
    void look_soon();
    void on_time();
    void finish();

    client_parts client_;
    std::unique_ptr<core::machine> machine_;
    std::stop_token stop_;
    // On the heap: most calls have no stop token, and many wait at once.
    std::unique_ptr<std::stop_callback<std::function<void()>>> watch_;
    std::optional<base::scheduler::timer> timer_;
    unsigned step_ = 0;  // a reply that belongs to an earlier step is ignored
    bool can_cancel_ = false;
    bool waits_ = false;              // in this step, for the bell or a time
    bool ended_ = false;              // `done` was called, or is about to be
    std::atomic<bool> rung_ = false;  // since the machine last looked
};

// A driver and its handler.
template <class Done>
class loop_driver::with final : public loop_driver {
public:
    template <class... Arguments>
    explicit with(Done done, Arguments&&... arguments)
        : loop_driver{std::forward<Arguments>(arguments)...}, done_{std::move(done)}
    {
    }

private:
    void tell() override
    {
        // Not kept in the driver: a late reply may keep that for long.
        auto done = *std::exchange(done_, std::nullopt);
        done(*this);
    }

    std::optional<Done> done_;
};

}  // namespace pawl::sync
