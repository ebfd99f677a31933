// The calls in progress that will complete on one Asio execution context. Not for users.
//
// A call completes by posting to the context, from the client's thread. The context may be
// destroyed before that, as in a server that shuts down. Then there is nothing to post to. So each
// context has a list of its calls, as an Asio service. When the context shuts down, it destroys
// their handlers, as it does with the handlers of its own operations. An answer that arrives later
// finds the list closed.
#pragma once

#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution/context_as.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/query.hpp>

#include <memory>
#include <mutex>
#include <utility>

namespace pawl::detail {

class asio_calls {
public:
    class call {
    public:
        call(const call&) = delete;
        call& operator=(const call&) = delete;

        // Destroys the handler without calling it, and the call itself.
        virtual void abandon() noexcept = 0;

    protected:
        call() = default;
        virtual ~call() = default;

    private:
        friend class asio_calls;
        call* previous_ = nullptr;
        call* next_ = nullptr;
    };

    // Returns false if the context is shut down.
    [[nodiscard]] bool add(call& what)
    {
        const std::scoped_lock guard{mutex_};
        if (closed_) return false;
        what.next_ = first_;
        if (first_ != nullptr) first_->previous_ = &what;
        first_ = &what;
        return true;
    }

    // Takes the call off the list and runs `post`. The context cannot be destroyed while `post`
    // runs. If the context is shut down already, the call no longer exists, and nothing happens.
    template <class Post>
    void finish(call& what, Post&& post)
    {
        const std::scoped_lock guard{mutex_};
        if (closed_) return;
        if (what.next_ != nullptr) what.next_->previous_ = what.previous_;
        (what.previous_ != nullptr ? what.previous_->next_ : first_) = what.next_;
        post();
    }

    // Abandons all calls. The context is shutting down.
    void close() noexcept
    {
        call* next = nullptr;
        {
            const std::scoped_lock guard{mutex_};
            closed_ = true;
            next = std::exchange(first_, nullptr);
        }
        while (next != nullptr) std::exchange(next, next->next_)->abandon();
    }

private:
    std::mutex mutex_;  // without annotations, whose macros do not belong into public headers
    bool closed_ = false;
    call* first_ = nullptr;
};

class asio_service final : public boost::asio::execution_context::service {
public:
    using key_type = asio_service;
    inline static boost::asio::execution_context::id id{};

    explicit asio_service(boost::asio::execution_context& context) : service{context} {}

    [[nodiscard]] const std::shared_ptr<asio_calls>& calls() const noexcept { return calls_; }

private:
    void shutdown() noexcept override { calls_->close(); }

    std::shared_ptr<asio_calls> calls_ = std::make_shared<asio_calls>();
};

// Returns the list of the context that the executor belongs to. An executor without a context gets
// a list of its own.
template <class Executor>
[[nodiscard]] std::shared_ptr<asio_calls> asio_calls_of(const Executor& executor)
{
    using boost::asio::execution_context;
    namespace execution = boost::asio::execution;
    const auto of = [](execution_context& context) {
        return boost::asio::use_service<asio_service>(context).calls();
    };
    if constexpr (boost::asio::can_query<const Executor&,
                                         execution::context_as_t<execution_context&>>::value) {
        return of(boost::asio::query(executor, execution::context_as<execution_context&>));
    } else if constexpr (requires { of(executor.context()); }) {
        return of(executor.context());
    } else {
        return std::make_shared<asio_calls>();
    }
}

}  // namespace pawl::detail
