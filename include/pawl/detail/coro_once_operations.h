// The operations of once_per that <pawl/coro.h> can await. Not for users.
#pragma once

#include <pawl/async.h>
#include <pawl/detail/async_result.h>
#include <pawl/detail/coro_operations.h>
#include <pawl/detail/coro_resume.h>
#include <pawl/once_per.h>

#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl::coro::detail {

template <class ResumeOn>
class tell_begun final : public async::begin_completion {
public:
    explicit tell_begun(std::shared_ptr<call_with_place<ResumeOn>> call) : call_{std::move(call)} {}

    void done(once_per::turn got, std::error_code ec, std::string_view message) noexcept override
    {
        auto run = pawl::detail::turn_access::take(std::move(got));
        if (call_->answered(std::move(run), ec, message)) call_->go_on(call_);
    }

private:
    std::shared_ptr<call_with_place<ResumeOn>> call_;
};

class begin_operation {
public:
    begin_operation(once_per& what, std::stop_token stop) : what_{&what}, stop_{std::move(stop)} {}

    template <class ResumeOn>
    void start(const std::shared_ptr<call_with_place<ResumeOn>>& call)
    {
        async::try_begin(*what_, std::make_unique<tell_begun<ResumeOn>>(call), stop_.begin());
    }

    void call_off() noexcept { stop_.request_stop(); }

    [[nodiscard]] static std::optional<once_per::turn> result(call& from)
    {
        if (!from.code()) return pawl::detail::turn_access::make(from.take());
        if (pawl::detail::is_just_no(from.code())) return std::nullopt;
        pawl::detail::raise(from.code(), from.message());
    }

private:
    once_per* what_;
    stop_link stop_;
};

class once_done_operation {
public:
    explicit once_done_operation(once_per::turn&& what) noexcept : what_{std::move(what)} {}

    template <class ResumeOn>
    void start(const std::shared_ptr<call_with_place<ResumeOn>>& call)
    {
        async::done(std::move(what_), std::make_unique<tell_done<ResumeOn>>(call));
    }

    void call_off() noexcept {}

    static void result(call& from)
    {
        if (from.code()) pawl::detail::raise(from.code(), from.message());
    }

private:
    once_per::turn what_;
};

}  // namespace pawl::coro::detail
