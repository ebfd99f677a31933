// Where the user's code runs: event handlers and stop_callbacks, in order, with no lock held.
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

    // From any thread: makes sure that what is posted later will run. Before something is promised
    // that depends on it, for at that time there may be no thread to be had. Throws std::system_error.
    virtual void prepare() = 0;

    // From any thread. After close() nothing happens.
    virtual void post(task work) = 0;

    // Waits until all that was posted has run, but no longer than `limit`, and not at all when it is
    // called from a task: a user's handler may destroy the client, and may take as long as it likes.
    virtual void close(std::chrono::milliseconds limit) = 0;
};

// A thread, started by prepare(), or when there is first something to tell.
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
    // Outlives the dispatcher if a handler does.
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
