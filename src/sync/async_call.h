// Calls that are under way on the client's scheduler: nobody's thread waits for them.
#pragma once

#include "base/clock.h"
#include "base/platform.h"
#include "base/scheduler.h"
#include "common/mutex.h"

#include <atomic>
#include <memory>
#include <stop_token>

namespace pawl::sync {

class async_call {
public:
    async_call() = default;
    virtual ~async_call() = default;
    async_call(const async_call&) = delete;
    async_call& operator=(const async_call&) = delete;

    // Both on the scheduler. Who started it is told by the call itself; before that it says
    // async_calls::ended().
    virtual void start() = 0;
    virtual void cancel() = 0;  // if that can be done; perhaps before start()

    // The client is gone, and its scheduler with it: nothing can be asked or awaited any more.
    virtual void abandon() = 0;

private:
    friend class async_calls;

    // These are guarded by the mutex of async_calls, which cannot be named here.
    std::shared_ptr<async_call> self_;  // while it is under way
    async_call* before_ = nullptr;
    async_call* after_ = nullptr;
};

class async_calls {
public:
    // Both must outlive this.
    async_calls(base::platform& platform, base::scheduler& loop) : platform_{platform}, loop_{loop}
    {
    }

    // From any thread. If the client is gone, it is abandoned at once.
    void start(std::shared_ptr<async_call> call);

    void ended(async_call& call);

    // Cancels all, and waits for what cannot be.
    void close(base::boot_time until);

    // When the scheduler has stopped.
    void abandon_all();

private:
    void cancel_all();
    void link(async_call& call) PAWL_REQUIRES(mutex_);
    void unlink(async_call& call) PAWL_REQUIRES(mutex_);

    base::platform& platform_;
    base::scheduler& loop_;
    std::atomic<bool> closing_{false};

    common::mutex mutex_;
    async_call* first_ PAWL_GUARDED_BY(mutex_) = nullptr;
    bool abandoned_ PAWL_GUARDED_BY(mutex_) = false;
    std::stop_source all_ended_ PAWL_GUARDED_BY(mutex_);  // wakes close()
};

}  // namespace pawl::sync
