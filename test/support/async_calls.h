// Functions as completions of asynchronous calls.
#pragma once

#include <pawl/async.h>

#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl::test {

// `then` is called with the hold, the error code and the message, on the client's thread, and must
// not throw.
template <class Function>
[[nodiscard]] std::unique_ptr<async::acquire_completion> when_acquired(Function then)
{
    class completion final : public async::acquire_completion {
    public:
        explicit completion(Function&& then) : then_{std::move(then)} {}
        void done(hold got, std::error_code ec, std::string_view message) noexcept override
        {
            then_(std::move(got), ec, message);
        }

    private:
        Function then_;
    };
    return std::make_unique<completion>(std::move(then));
}

// The same for an arrival at a barrier.
template <class Function>
[[nodiscard]] std::unique_ptr<async::arrive_completion> when_arrived(Function then)
{
    class completion final : public async::arrive_completion {
    public:
        explicit completion(Function&& then) : then_{std::move(then)} {}
        void done(barrier::arrival got, std::error_code ec,
                  std::string_view message) noexcept override
        {
            then_(std::move(got), ec, message);
        }

    private:
        Function then_;
    };
    return std::make_unique<completion>(std::move(then));
}

// The same for all other calls, which have no result but the error code.
template <class Function>
[[nodiscard]] std::unique_ptr<async::completion> when_done(Function then)
{
    class completion final : public async::completion {
    public:
        explicit completion(Function&& then) : then_{std::move(then)} {}
        void done(std::error_code ec, std::string_view message) noexcept override
        {
            then_(ec, message);
        }

    private:
        Function then_;
    };
    return std::make_unique<completion>(std::move(then));
}

}  // namespace pawl::test
