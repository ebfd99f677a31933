#include "observe/dispatcher.h"

#include "base/signal_free_thread.h"

#include <system_error>

namespace pawl::observe {

dispatcher_thread::dispatcher_thread() : queue_{std::make_shared<queue>()} {}

dispatcher_thread::~dispatcher_thread()
{
    dispatcher_thread::close(std::chrono::milliseconds{0});
}

void dispatcher_thread::prepare()
{
    const common::scoped_lock guard{queue_->mutex};
    if (!queue_->closing) start(queue_);
}

void dispatcher_thread::post(task work)
{
    // A copy: the task may destroy this dispatcher as soon as the mutex is free.
    const auto shared = queue_;
    const common::scoped_lock guard{shared->mutex};
    if (shared->closing) return;
    shared->tasks.push_back(std::move(work));
    try {
        start(shared);
    } catch (const std::system_error&) {
        // prepare() was not called, and no thread can be started now. The next post() tries again.
    }
    shared->changed.notify_all();
}

void dispatcher_thread::start(const std::shared_ptr<queue>& queue)
{
    if (queue->thread.joinable()) return;
    queue->thread = base::signal_free_thread([queue] { run(queue); });
}

void dispatcher_thread::close(std::chrono::milliseconds limit)
{
    common::unique_lock guard{queue_->mutex};
    queue_->closing = true;
    queue_->changed.notify_all();
    if (!queue_->thread.joinable()) return;
    const bool from_a_task = queue_->thread.get_id() == std::this_thread::get_id();
    if (!from_a_task) {
        queue_->changed.wait_for(
            guard, limit, [this]() PAWL_REQUIRES(queue_->mutex) { return queue_->finished; });
    }
    if (!queue_->finished) {
        queue_->thread.detach();
        return;
    }
    auto thread = std::move(queue_->thread);
    guard.unlock();
    thread.join();
}

void dispatcher_thread::run(const std::shared_ptr<queue>& queue)
{
    common::unique_lock guard{queue->mutex};
    while (true) {
        queue->changed.wait(guard, [&]() PAWL_REQUIRES(queue->mutex) {
            return queue->closing || !queue->tasks.empty();
        });
        if (queue->tasks.empty()) break;
        auto work = std::move(queue->tasks.front());
        queue->tasks.pop_front();
        guard.unlock();
        work();
        work = nullptr;  // without the mutex: the destructor may call back
        guard.lock();
    }
    queue->finished = true;
    queue->changed.notify_all();
}

}  // namespace pawl::observe
