// Runs the user's code: event handlers and stop_callbacks, in order, with no mutex held.
#pragma once

#include "common/mutex.h"

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <thread>

namespace pawl::observe {

class dispatcher {
public:
    using task = std::function<void()>;

    dispatcher() = default;
    virtual ~dispatcher() = default;
    dispatcher(const dispatcher&) = delete;
    dispatcher& operator=(const dispatcher&) = delete;

    // From any thread: makes sure that tasks which are posted later can run. Call it before a
    // promise that depends on it is made: later it may be impossible to start a thread. Throws
    // std::system_error.
    virtual void prepare() = 0;

    // From any thread. Has no effect after close().
    virtual void post(task work) = 0;

    // Waits until all posted tasks have run, at most for `limit`. Does not wait if it is called
    // from a task: a user's handler may destroy the client, and may take as long as it likes.
    virtual void close(std::chrono::milliseconds limit) = 0;
};

// Runs the tasks in a thread. prepare() or the first post() starts it.
class dispatcher_thread final : public dispatcher {
public:
    dispatcher_thread();
    ~dispatcher_thread() override;
    dispatcher_thread(const dispatcher_thread&) = delete;
    dispatcher_thread& operator=(const dispatcher_thread&) = delete;

    void prepare() override;
    void post(task work) override;
    void close(std::chrono::milliseconds limit) override;

private:
    // Outlives the dispatcher if a handler runs longer than that.
    struct queue {
        common::mutex mutex;
        common::condition_variable changed;
        std::deque<task> tasks PAWL_GUARDED_BY(mutex);
        bool closing PAWL_GUARDED_BY(mutex) = false;
        bool finished PAWL_GUARDED_BY(mutex) = false;
        std::thread thread PAWL_GUARDED_BY(mutex);  // not joinable after close()
    };
    static void start(const std::shared_ptr<queue>& queue) PAWL_REQUIRES(queue->mutex);
    static void run(const std::shared_ptr<queue>& queue);

    std::shared_ptr<queue> queue_;
};

}  // namespace pawl::observe
