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
// They throw pawl::error, as the blocking calls do, when they are awaited.
//
// Where a coroutine goes on. Unless told otherwise on the client's own thread, on which all its
// renewals, deadlines and calls depend: what it does there must be short, must not block, and must
// not destroy the client. (If the answer is there before the coroutine is suspended, it just goes on.)
// For anything else hand in where to go on, as the last argument:
//
//   an executor     anything with execute(f): a thread pool's or an io_context's, for example
//   a callable      it is called with a pawl::coro::resumption, on the client's thread, and sees to
//                   it that someone calls that. It must not throw
//
// It is copied, and called on the client's thread; that call may return only after the coroutine has
// gone on. So what stands behind it, the pool or the io_context, is made before the client, and goes after
// it.
//
//   const auto on_pool = [&pool](pawl::coro::resumption go_on) { pool.submit(go_on); };
//   pawl::hold held = co_await stock.acquire_async({}, on_pool);
//
// A callable with captures of its own is named first, as here: g++ 12 destroys a closure twice that
// is made inside a co_await expression. Those that could come to harm are refused as temporaries.
//
// What must live how long. The lock, or the hold that is extended, until the co_await has begun, that
// is, until the coroutine is suspended; a release takes its hold along when it is called.
//
// A coroutine that is destroyed while it waits is not resumed: its acquire is called off, and what
// was granted too late is given back in the background. Whoever destroys it must not do so while
// another thread resumes it: destroy it where it is resumed, or request stop and let it end. A
// resumption that is turned into a std::coroutine_handle<> loses this protection.
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

// What the members of lockable and hold return: nothing has happened yet, it is to be awaited, once.
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

// What the members of lockable and hold call. ResumeOn may be a reference: then `ResumeOn&&` is one too,
// and std::forward does not move. NOLINTBEGIN(*-rvalue-reference-param-not-moved)
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
