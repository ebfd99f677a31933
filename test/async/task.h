// A minimal coroutine type, as a user might have one. It starts at once, its end can be waited for,
// and destroying the object destroys the coroutine at any point.
#pragma once

#include <coroutine>
#include <exception>
#include <future>
#include <utility>

namespace pawl::test {

class task {
public:
    struct promise_type {
        struct at_end {
            [[nodiscard]] static bool await_ready() noexcept { return false; }
            static void await_suspend(std::coroutine_handle<promise_type> who) noexcept
            {
                // The waiting thread may destroy the coroutine before set_value() has returned.
                auto ended = std::move(who.promise().ended);
                if (const auto problem = who.promise().problem) {
                    ended.set_exception(problem);
                } else {
                    ended.set_value();
                }
            }
            static void await_resume() noexcept {}
        };

        task get_return_object() { return task{*this}; }
        static std::suspend_never initial_suspend() noexcept { return {}; }
        static at_end final_suspend() noexcept { return {}; }
        static void return_void() noexcept {}
        void unhandled_exception() noexcept { problem = std::current_exception(); }

        std::promise<void> ended;
        std::exception_ptr problem;
    };

    task(task&& other) noexcept
        : who_{std::exchange(other.who_, nullptr)}, ended_{std::move(other.ended_)}
    {
    }
    task& operator=(task&&) = delete;
    ~task() { destroy(); }

    // Waits for the end. Throws the exception of the coroutine.
    void get() { ended_.get(); }

    template <class Duration>
    [[nodiscard]] bool ends_within(Duration limit) const
    {
        return ended_.wait_for(limit) == std::future_status::ready;
    }

    void destroy()
    {
        if (auto who = std::exchange(who_, nullptr)) who.destroy();
    }

private:
    explicit task(promise_type& promise)
        : who_{std::coroutine_handle<promise_type>::from_promise(promise)},
          ended_{promise.ended.get_future()}
    {
    }

    std::coroutine_handle<promise_type> who_;
    std::future<void> ended_;
};

}  // namespace pawl::test
