// Threads that measure together.
//
//   phase       ends when                                        and then
//   preparing   all are ready                                    all start at once
//   stepping    the time is up, one fails, the user interrupts   each ends after its step
//   ended       run() returns                                    elapsed() and the problem are known
#pragma once

#include "common/mutex.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <stop_token>
#include <vector>

namespace pawl::cli {

// What one thread does. The token is triggered when another thread has failed or the user has
// interrupted: then the thread must stop waiting. The end of the time does not trigger it.
struct crew_member {
    std::function<void(const std::stop_token& give_up)> prepare;
    std::function<void(const std::stop_token& give_up)> step;  // repeated, at least once
    std::function<void()> finish{};                            // called in any case; must not throw
};

struct crew_orders {
    std::chrono::milliseconds how_long{};
    std::stop_token interrupted{};
    std::function<void()> tick;  // called now and then, on the thread that called run()
};

class crew {
public:
    explicit crew(std::vector<crew_member> members);

    // May be called once. Returns when all threads have ended: nothing, or the first exception of a
    // thread. Exceptions after an interruption are ignored.
    [[nodiscard]] std::exception_ptr run(const crew_orders& orders);

    // From the common start to the end of the last step that succeeded.
    [[nodiscard]] std::chrono::nanoseconds elapsed() const noexcept;

private:
    using clock = std::chrono::steady_clock;

    void work(std::size_t index) noexcept;
    void step_on(std::size_t index);
    void start_together();
    void conduct(const crew_orders& orders);
    void fail(const std::exception_ptr& problem) noexcept;

    std::vector<crew_member> members_;
    std::vector<clock::time_point> last_step_;  // of each
    std::stop_source give_up_;
    std::atomic<bool> over_{false};
    std::exception_ptr problem_;

    common::mutex mutex_;
    std::condition_variable_any changed_;
    std::size_t ready_ PAWL_GUARDED_BY(mutex_) = 0;
    bool started_ PAWL_GUARDED_BY(mutex_) = false;
    clock::time_point start_;  // written once; read when the threads have ended
};

}  // namespace pawl::cli
