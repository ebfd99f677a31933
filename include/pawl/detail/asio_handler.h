// A handler of <pawl/asio.h> that waits for its call to end. Not for users.
#pragma once

#include <pawl/detail/asio_calls.h>

#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <memory>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>

namespace pawl::detail {

// Calls a handler with its arguments. It is posted to the handler's executor.
template <class Handler, class... Arguments>
class asio_handler_call {
public:
    using allocator_type = boost::asio::associated_allocator_t<Handler>;

    asio_handler_call(Handler&& handler, Arguments&&... arguments)
        : handler_{std::move(handler)}, arguments_{std::move(arguments)...}
    {
    }

    [[nodiscard]] allocator_type get_allocator() const noexcept
    {
        return boost::asio::get_associated_allocator(handler_);
    }

    void operator()()
    {
        // Not earlier: a slot may be used only on the handler's executor.
        auto slot = boost::asio::get_associated_cancellation_slot(handler_);
        if (slot.is_connected()) slot.clear();
        std::apply(std::move(handler_), std::move(arguments_));
    }

private:
    Handler handler_;
    std::tuple<Arguments...> arguments_;
};

// A handler that waits to be called.
template <class Handler>
class asio_call final : public asio_calls::call {
public:
    // Stop is requested on `stop` when the handler's slot is cancelled, and when the call is
    // abandoned.
    [[nodiscard]] static asio_call* make(Handler&& handler, std::stop_source stop)
    {
        memory allocator{boost::asio::get_associated_allocator(handler)};
        asio_call* const place = std::allocator_traits<memory>::allocate(allocator, 1);
        try {
            return ::new (static_cast<void*>(place)) asio_call{std::move(handler), std::move(stop)};
        } catch (...) {
            std::allocator_traits<memory>::deallocate(allocator, place, 1);
            throw;
        }
    }

    [[nodiscard]] auto executor() const noexcept { return work_.get_executor(); }

    template <class... Arguments>
    void post(Arguments&&... arguments)
    {
        const auto work = std::move(work_);
        const memory allocator{boost::asio::get_associated_allocator(handler_)};
        asio_handler_call<Handler, std::decay_t<Arguments>...> function{
            std::move(handler_), std::forward<Arguments>(arguments)...};
        destroy(allocator);
        boost::asio::post(work.get_executor(), std::move(function));
    }

    void abandon() noexcept override
    {
        auto stop = stop_;
        {
            // The handler may own the memory from which this call was allocated.
            const Handler last{std::move(handler_)};
            destroy(memory{boost::asio::get_associated_allocator(last)});
        }
        stop.request_stop();
    }

private:
    using executor_type = boost::asio::associated_executor_t<Handler>;
    using memory = typename std::allocator_traits<
        boost::asio::associated_allocator_t<Handler>>::template rebind_alloc<asio_call>;

    asio_call(Handler&& handler, std::stop_source&& stop)
        : work_{boost::asio::get_associated_executor(handler)},
          handler_{std::move(handler)},
          stop_{std::move(stop)}
    {
        auto slot = boost::asio::get_associated_cancellation_slot(handler_);
        if (!stop_.stop_possible() || !slot.is_connected()) return;
        slot.assign([stop = stop_](boost::asio::cancellation_type type) mutable {
            if (type != boost::asio::cancellation_type::none) stop.request_stop();
        });
    }
    ~asio_call() override = default;

    // Call it after the handler was moved out.
    void destroy(memory allocator) noexcept
    {
        this->~asio_call();
        std::allocator_traits<memory>::deallocate(allocator, this, 1);
    }

    boost::asio::executor_work_guard<executor_type> work_;
    Handler handler_;
    std::stop_source stop_;
};

// The client's reference to such a call.
template <class Handler>
class asio_call_ref {
public:
    explicit asio_call_ref(asio_call<Handler>* call)
        : calls_{asio_calls_of(call->executor())}, call_{call}
    {
    }

    // Returns false if the handler's context is shut down. The handler is destroyed then.
    [[nodiscard]] bool enlist() const
    {
        if (calls_->add(*call_)) return true;
        call_->abandon();
        return false;
    }

    template <class... Arguments>
    void finish(Arguments&&... arguments) const
    {
        calls_->finish(*call_, [&] { call_->post(std::forward<Arguments>(arguments)...); });
    }

private:
    std::shared_ptr<asio_calls> calls_;
    asio_call<Handler>* call_;
};

}  // namespace pawl::detail
