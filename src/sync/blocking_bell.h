// The bell of a thread that waits.
#pragma once

#include "common/mutex.h"
#include "sync/bell.h"

#include <functional>
#include <utility>

namespace pawl::sync {

class blocking_bell final : public bell {
public:
    using waker = std::function<void()>;

    // `wake` is called once, by the thread that rings. False if the bell has rung already: then `wake`
    // is not called.
    [[nodiscard]] bool on_ring(waker wake)
    {
        const common::scoped_lock guard{mutex_};
        if (std::exchange(rung_, false)) return false;
        wake_ = std::move(wake);
        return true;
    }

    // The driver waits no more.
    void silence()
    {
        const common::scoped_lock guard{mutex_};
        wake_ = nullptr;
        rung_ = false;
    }

    void ring() override
    {
        waker wake;
        {
            const common::scoped_lock guard{mutex_};
            wake = std::exchange(wake_, nullptr);
            rung_ = !wake;
        }
        if (wake) wake();
    }

private:
    common::mutex mutex_;
    bool rung_ PAWL_GUARDED_BY(mutex_) = false;
    waker wake_ PAWL_GUARDED_BY(mutex_);
};

}  // namespace pawl::sync
