// std::mutex and what goes with it, with the annotations of common/thread_annotations.h: libstdc++
// has none. The names and their meaning are those of the standard library.
//
// std::condition_variable_any also works with unique_lock. condition_variable is for waits without a
// stop token, and allocates nothing.
#pragma once

#include "common/thread_annotations.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace pawl::common {

class PAWL_CAPABILITY("mutex") mutex {
public:
    mutex() = default;
    mutex(const mutex&) = delete;
    mutex& operator=(const mutex&) = delete;
    ~mutex() = default;

    void lock() PAWL_ACQUIRE() { inner_.lock(); }
    [[nodiscard]] bool try_lock() PAWL_TRY_ACQUIRE(true) { return inner_.try_lock(); }
    void unlock() PAWL_RELEASE() { inner_.unlock(); }

private:
    friend class unique_lock;
    std::mutex inner_;
};

// Holds a mutex as long as it lives.
class PAWL_SCOPED_CAPABILITY scoped_lock {
public:
    explicit scoped_lock(mutex& what) PAWL_ACQUIRE(what) : what_{what} { what_.lock(); }
    ~scoped_lock() PAWL_RELEASE() { what_.unlock(); }
    scoped_lock(const scoped_lock&) = delete;
    scoped_lock& operator=(const scoped_lock&) = delete;

private:
    mutex& what_;
};

// The same, but it can be unlocked and locked again, and waited with.
class PAWL_SCOPED_CAPABILITY unique_lock {
public:
    explicit unique_lock(mutex& what) PAWL_ACQUIRE(what) : inner_{what.inner_} {}
    ~unique_lock() PAWL_RELEASE() = default;
    unique_lock(const unique_lock&) = delete;
    unique_lock& operator=(const unique_lock&) = delete;

    void lock() PAWL_ACQUIRE() { inner_.lock(); }
    void unlock() PAWL_RELEASE() { inner_.unlock(); }

private:
    friend class condition_variable;
    std::unique_lock<std::mutex> inner_;
};

// Annotate a condition with PAWL_REQUIRES if it reads what the mutex guards.
class condition_variable {
public:
    void notify_one() noexcept { inner_.notify_one(); }
    void notify_all() noexcept { inner_.notify_all(); }

    template <class Condition>
    void wait(unique_lock& held, Condition condition)
    {
        inner_.wait(held.inner_, std::move(condition));
    }

    template <class Rep, class Period>
    void wait_for(unique_lock& held, std::chrono::duration<Rep, Period> limit)
    {
        inner_.wait_for(held.inner_, limit);
    }

    // Returns what the condition says in the end.
    template <class Rep, class Period, class Condition>
    bool wait_for(unique_lock& held, std::chrono::duration<Rep, Period> limit, Condition condition)
    {
        return inner_.wait_for(held.inner_, limit, std::move(condition));
    }

private:
    std::condition_variable inner_;
};

}  // namespace pawl::common
