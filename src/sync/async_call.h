// Calls that are under way on the client's event loop, and that no thread waits for.
#pragma once

#include "base/clock.h"
#include "base/platform.h"
#include "base/scheduler.h"
#include "common/mutex.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <stop_token>

namespace pawl::sync {

enum class call_end : bool {
    // It ends with the user's code, which must not run in the thread of another user. So it runs on the client's thread.
    heard_by_user,
    // No user hears of it. The thread that starts it mostly makes its first step too: then its requests have been sent when
    // that thread goes on, and no other thread has to wake up for them.
    unheard,
};

class async_call {
public:
    async_call() = default;
    virtual ~async_call() = default;
    async_call(const async_call&) = delete;
    async_call& operator=(const async_call&) = delete;

    // Both on the event loop. When the call ends, it calls async_calls::ended(), and then its caller's
    // handler.
    virtual void start() = 0;
    virtual void cancel() = 0;  // this may be before start(); some calls cannot be cancelled

    // The client is destroyed and its event loop has stopped: the call must end without them.
    virtual void abandon() = 0;

private:
    friend class async_calls;

    // These are guarded by the mutex of async_calls, which cannot be named here.
    std::shared_ptr<async_call> self_;  // while it is under way
    async_call* before_ = nullptr;
    async_call* after_ = nullptr;
    call_end how_ = call_end::heard_by_user;
};

class async_calls {
public:
    // Both must outlive this.
    async_calls(base::platform& platform, base::scheduler& loop) : platform_{platform}, loop_{loop}
    {
    }

    // From any thread. If the client is destroyed already, the call is abandoned at once.
    void start(std::shared_ptr<async_call> call, call_end how = call_end::heard_by_user);

    void ended(async_call& call);

    // Cancels all calls, and waits until then for those that cannot be cancelled.
    void close(base::boot_time until);

    // After the event loop has stopped.
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
    std::size_t heard_by_users_ PAWL_GUARDED_BY(mutex_) = 0;  // how many of them
    bool abandoned_ PAWL_GUARDED_BY(mutex_) = false;
    std::stop_source all_ended_ PAWL_GUARDED_BY(mutex_);  // wakes close()
};

}  // namespace pawl::sync
