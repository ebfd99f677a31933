// The calls of <pawl/async.h> for co_await, in coroutines of any kind.
//
//   task<void> sell(pawl::mutex& stock)
//   {
//       pawl::hold held = co_await stock.acquire_async();
//       save(row, held.fence());
//       co_await held.release_async();
//   }
//
//   co_await                          gives                  busy, too late   stopped     trouble
//   lock.acquire_async()              hold                   waits            throws      throws
//   lock.try_acquire_async()          std::optional<hold>    nullopt          nullopt     throws
//   lock.acquire_async_for(5s)        std::optional<hold>    nullopt          nullopt     throws
//   held.release_async()              nothing                –                –           throws
//   held.extend_async(1min)           nothing                –                –           throws
//
// They throw pawl::error, as the blocking calls do. They throw it from co_await, not before.
//
// Where the coroutine continues. By default on the client's own thread. All renewals, deadlines and
// calls of the client depend on that thread. Code that runs there must be short, must not block,
// and must not destroy the client. (If the answer arrives before the coroutine is suspended, the
// coroutine continues on its own thread.) For anything else, pass as the last argument where to
// continue:
//
//   an executor     any object with execute(f), for example that of a thread pool or an io_context
//   a callable      it is called with a pawl::coro::resumption, and must arrange that the
//                   resumption is called. It must not throw
//
// The argument is copied. It is called on the client's thread, or on the coroutine's own thread if
// the answer arrives before the coroutine is suspended. The coroutine may continue before that call
// has returned. So create the pool or the io_context before the client, and destroy it after the
// client.
//
//   const auto on_pool = [&pool](pawl::coro::resumption go_on) { pool.submit(go_on); };
//   pawl::hold held = co_await stock.acquire_async({}, on_pool);
//
// Give a callable that owns its captures a name first, as here: g++ 12 destroys a closure twice if
// it is created inside a co_await expression. The compiler refuses temporaries that would be
// affected.
//
// Lifetime. The lock, or the hold that is extended, must exist until co_await has suspended the
// coroutine. A release takes the lock out of its hold when release_async() is called.
//
// A coroutine that is destroyed while it waits is not resumed. Its acquire is cancelled, and a lock
// that is granted too late is released in the background. Do not destroy a coroutine while another
// thread resumes it: destroy it on the thread that resumes it, or request stop and let it end. A
// resumption that is converted to a std::coroutine_handle<> does not have this protection.
#pragma once

#include <pawl/detail/coro_operations.h>
#include <pawl/detail/coro_resume.h>
#include <pawl/detail/forms.h>
#include <pawl/hold.h>
#include <pawl/lockable.h>
#include <pawl/time_limit.h>

#include <chrono>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace pawl::coro {

// The members of lockable and hold return this. It has not started anything yet. Await it once.
template <class Operation, class ResumeOn>
class [[nodiscard]] awaitable {
public:
    awaitable(Operation&& what, ResumeOn&& where) : what_{std::move(what)}, where_{std::move(where)}
    {
    }

    detail::awaiter<Operation, ResumeOn> operator co_await() &&
    {
        return {std::move(what_), std::move(where_)};
    }

private:
    Operation what_;
    [[no_unique_address]] ResumeOn where_;
};

namespace detail {

template <class Where, class Operation>
[[nodiscard]] auto make_awaitable(Operation what, Where&& where)
{
    using place = std::remove_cvref_t<Where>;
    static_assert(resume_on<place>,
                  "resume_on needs execute(f), or to be called with a pawl::coro::resumption");
    static_assert(std::is_lvalue_reference_v<Where> || safe_temporary<place>,
                  "name resume_on before the co_await: g++ 12 would destroy this one twice");
    return awaitable<Operation, place>{std::move(what), place(std::forward<Where>(where))};
}

}  // namespace detail
}  // namespace pawl::coro

namespace pawl::detail {

// The members of lockable and hold call these functions. ResumeOn may be a reference: then
// `ResumeOn&&` is one too, and std::forward does not move.
// NOLINTBEGIN(*-rvalue-reference-param-not-moved)
template <class ResumeOn>
struct coro_forms {
    static auto acquire(lockable& lock, std::stop_token&& stop, ResumeOn&& resume_on)
    {
        using operation = coro::detail::acquire_operation<hold>;
        return coro::detail::make_awaitable<ResumeOn>(
            operation{lock, time_limit::never(), std::move(stop)},
            std::forward<ResumeOn>(resume_on));
    }

    static auto acquire_within(lockable& lock, time_limit limit, std::stop_token&& stop,
                               ResumeOn&& resume_on)
    {
        using operation = coro::detail::acquire_operation<std::optional<hold>>;
        return coro::detail::make_awaitable<ResumeOn>(operation{lock, limit, std::move(stop)},
                                                      std::forward<ResumeOn>(resume_on));
    }

    static auto release(hold& what, ResumeOn&& resume_on)
    {
        return coro::detail::make_awaitable<ResumeOn>(
            coro::detail::release_operation{std::move(what)}, std::forward<ResumeOn>(resume_on));
    }

    static auto extend(hold& what, std::chrono::milliseconds lease, ResumeOn&& resume_on)
    {
        return coro::detail::make_awaitable<ResumeOn>(coro::detail::extend_operation{what, lease},
                                                      std::forward<ResumeOn>(resume_on));
    }
};
// NOLINTEND(*-rvalue-reference-param-not-moved)

}  // namespace pawl::detail
