// An executor that runs its work when a test asks for it, in the test's own thread.
#pragma once

#include "support/eventually.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>

namespace pawl::test {

class run_queue {
public:
    void execute(std::function<void()> what)
    {
        const std::scoped_lock guard{mutex_};
        waiting_.push_back(std::move(what));
        changed_.notify_all();
    }

    // Whether work came within the limit. It stays in the queue.
    [[nodiscard]] bool has_some(std::chrono::milliseconds limit = patience)
    {
        std::unique_lock guard{mutex_};
        return changed_.wait_for(guard, limit, [this] { return !waiting_.empty(); });
    }

    // Runs one piece of work. Returns whether one came within the limit.
    bool run_one(std::chrono::milliseconds limit = patience)
    {
        if (!has_some(limit)) return false;
        std::unique_lock guard{mutex_};
        const auto next = std::move(waiting_.front());
        waiting_.pop_front();
        guard.unlock();
        next();
        return true;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> waiting_;
};

}  // namespace pawl::test
