// The fixture of tests of asynchronous calls on a memory server: calls that return futures.
#pragma once

#include "support/async_calls.h"
#include "unit/memory_fixture.h"
#include "unit/queue_view.h"

#include <chrono>
#include <future>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace pawl::test {

struct ending {
    hold held;
    std::error_code ec;
    std::string message;
    std::thread::id where;
};

// Passes the error code on.
inline std::unique_ptr<async::completion> promised(std::promise<std::error_code> told)
{
    return when_done([told = std::move(told)](std::error_code ec, std::string_view) mutable {
        told.set_value(ec);
    });
}

inline std::future<ending> acquire(lockable& lock, time_limit limit = time_limit::never(),
                                   std::stop_token stop = {})
{
    std::promise<ending> told;
    auto result = told.get_future();
    async::acquire(
        lock, limit,
        when_acquired([told = std::move(told)](hold got, std::error_code ec,
                                               std::string_view message) mutable {
            told.set_value({std::move(got), ec, std::string{message}, std::this_thread::get_id()});
        }),
        std::move(stop));
    return result;
}

inline std::future<std::error_code> release(hold what)
{
    std::promise<std::error_code> told;
    auto result = told.get_future();
    async::release(std::move(what), promised(std::move(told)));
    return result;
}

inline std::future<std::error_code> extend(hold& what, std::chrono::milliseconds lease)
{
    std::promise<std::error_code> told;
    auto result = told.get_future();
    async::extend(what, lease, promised(std::move(told)));
    return result;
}

template <class Result>
bool is_ready(const std::future<Result>& what, std::chrono::milliseconds within = 0ms)
{
    return what.wait_for(within) == std::future_status::ready;
}

class async_calls : public with_memory {
protected:
    [[nodiscard]] bool nothing_is_left(const std::string& lock)
    {
        return !server_.is_locked(lock) && queue_.length(lock) == 0;
    }

    queue_view queue_{server_.url()};
    client other_{options()};
    mutex lock_{client_, "job"};
    mutex theirs_{other_, "job"};
};

}  // namespace pawl::test
