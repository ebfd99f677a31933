// Functions as completions of asynchronous calls.
#pragma once

#include <pawl/async.h>

#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl::bench {

// `then` is called with the hold and the error code, on the client's thread, and must not throw.
template <class Function>
void acquire_then(acquirable& lock, time_limit limit, Function then)
{
    class completion final : public async::acquire_completion {
    public:
        explicit completion(Function&& then) : then_{std::move(then)} {}
        void done(hold got, std::error_code ec, std::string_view /*message*/) noexcept override
        {
            then_(std::move(got), ec);
        }

    private:
        Function then_;
    };
    async::acquire(lock, limit, std::make_unique<completion>(std::move(then)));
}

// The same with the error code alone.
template <class Function>
void release_then(hold held, Function then)
{
    class completion final : public async::completion {
    public:
        explicit completion(Function&& then) : then_{std::move(then)} {}
        void done(std::error_code ec, std::string_view /*message*/) noexcept override { then_(ec); }

    private:
        Function then_;
    };
    async::release(std::move(held), std::make_unique<completion>(std::move(then)));
}

}  // namespace pawl::bench
