// pawl::shared_mutex: a std::shared_timed_mutex that spans processes and machines. Any number of
// readers can have it at the same time, or one writer.
//
//   pawl::shared_mutex prices{client, "prices"};
//   { std::shared_lock reading{prices}; /* … */ }
//   { std::scoped_lock writing{prices}; /* … */ }
//   if (auto reader = prices.try_acquire_shared_for(5s)) use(table, reader->fence());
//
// The mutex itself is the writer's side: lock(), acquire() and the other functions of a lockable
// wait until no other holder is in. shared() is the readers' side. It is a lockable too, so that
// readers have all forms of a call, for example `co_await pawl::coro::acquire(prices.shared())`.
//
//   state of the lock            a writer   a reader, in_order     a reader, readers_first
//   free                         gets it    gets it                gets it
//   readers are in               waits      gets it                gets it
//   readers are in, and others   waits      waits behind them      gets it
//   wait in the queue
//   the writer is in             waits      waits                  waits
//
// Order. Waiters get the lock in the order of arrival, and readers that stand next to each other in
// the queue get it together. So a writer that waits is not overtaken by readers that ask the server
// later; only readers that join a lease of their client within 10 ms (below) still come in.
// With reader_policy::readers_first, readers do not queue behind waiting writers; a writer can then
// wait for ever, if readers never stop coming. A reader that waits because the writer is in has a
// place in the queue under both policies. Each shared_mutex object decides how its own readers
// wait.
//
// Readers of one client share a lease. The first one costs a round trip. Readers that come within
// 10 ms after its grant join it without a round trip; after that, the next reader asks the server
// again. The lease goes back to the server when its last reader leaves; only that release costs a
// round trip. Readers that share a lease have the same id() and the same fence(), and if the lease
// is lost, all of them lose the lock. client_options::on_event and client::holds() report the lease
// once. With renew = false or with a heartbeat, each reader has its own lease. Writers share
// nothing.
//
// Fences. A writer gets a new fence, greater than all before it. A reader has the fence of the last
// writer before it. So readers with the same fence see the same data. If a reader finds data with a
// greater fence than its own, a later writer has written them: the reader has lost its lock.
// Readers must not store their fence with the data.
//
// If a process dies, its leases end on the server, each for itself: a dead reader keeps a writer
// out for the rest of its lease, and no longer.
//
// lock_options::linger must be 0 and lock_options::layout must be unset. A name belongs to one kind
// of lock: a mutex and a shared_mutex of the same name get `not_a_lock`. A quorum does not have
// this kind: docs/topologies/quorum.md, "Which locks work".
//
// <pawl/acquirable.h> and <pawl/lockable.h> document the functions of both sides.
#pragma once

#include <pawl/client.h>
#include <pawl/detail/forms.h>
#include <pawl/export.h>
#include <pawl/hold.h>
#include <pawl/lockable.h>
#include <pawl/options.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl {

// Whether a reader waits behind the writers that came before it.
enum class reader_policy {
    in_order,       // it does
    readers_first,  // it does not: it enters if readers are in, or if the lock is free
};

class PAWL_EXPORT shared_mutex : public lockable {
public:
    // Checks the name (1 to 512 bytes, any except NUL) and the options. No round trip. Throws
    // pawl::error (bad_argument).
    shared_mutex(client& client, std::string_view name, const lock_options& options = {},
                 reader_policy readers = reader_policy::in_order);
    ~shared_mutex();

    // Returns the readers' side. It is valid as long as this object.
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] lockable& shared() noexcept { return shared_; }

    // ── Handles of readers ──────────────────────────────────────────────────────────────────────
    // The same as on shared(), which also has the forms with a std::error_code& and the
    // asynchronous forms.
    // Round trips: none if the reader joins a lease that this client has. Otherwise one.
    // On failure, threads, cancellation: as acquirable::acquire(), try_acquire() and
    //     try_acquire_for().
    [[nodiscard]] hold acquire_shared(const std::stop_token& stop = {})
    {
        return shared_.acquire(stop);
    }

    [[nodiscard]] std::optional<hold> try_acquire_shared(const std::stop_token& stop = {})
    {
        return shared_.try_acquire(stop);
    }

    template <class Rep, class Period>
    [[nodiscard]] std::optional<hold> try_acquire_shared_for(
        std::chrono::duration<Rep, Period> wait, const std::stop_token& stop = {})
    {
        return shared_.try_acquire_for(wait, stop);
    }

    template <class Clock, class Duration>
    [[nodiscard]] std::optional<hold> try_acquire_shared_until(
        std::chrono::time_point<Clock, Duration> when, const std::stop_token& stop = {})
    {
        return shared_.try_acquire_until(when, stop);
    }

    // ── The interface of std::shared_timed_mutex ────────────────────────────────────────────────
    // The same as lock(), try_lock(), unlock() … on shared(). shared().current() is the hold of the
    // calling thread.
    // Round trips: as for the handles above.
    // On failure: as lockable::lock(), try_lock() and unlock(). A thread that has locked this
    //     object, as the writer or as a reader, and locks it again on either side, gets
    //     `would_deadlock`; the try forms return false. That holds for a second lock_shared() too:
    //     it would wait for a writer in the queue, which waits for the first one.
    // Threads: unlock_shared() on the thread that called lock_shared(); the others on any thread.
    // Cancellation: none; use the handles.
    void lock_shared() { shared_.lock(); }

    [[nodiscard]] bool try_lock_shared() { return shared_.try_lock(); }

    template <class Rep, class Period>
    [[nodiscard]] bool try_lock_shared_for(std::chrono::duration<Rep, Period> wait)
    {
        return shared_.try_lock_for(wait);
    }

    template <class Clock, class Duration>
    [[nodiscard]] bool try_lock_shared_until(std::chrono::time_point<Clock, Duration> when)
    {
        return shared_.try_lock_until(when);
    }

    void unlock_shared() noexcept { shared_.unlock(); }
    void unlock_shared(std::error_code& ec) noexcept { shared_.unlock(ec); }

    // ── Changing sides ──────────────────────────────────────────────────────────────────────────
    // For holds from acquire(), acquire_shared() and the other forms that return one. The new hold
    // has a new id(), and its lease does not end before that of the old one. The old hold is empty
    // afterwards, and on_event reports that it was released.

    // Makes the writer a reader. No other writer can come between, so the reader sees what it
    // wrote. Readers at the head of the queue enter together with it. The new hold has the same
    // fence.
    // Round trips: one.
    // On failure: throws pawl::error or sets ec. `writer` still has the lock, with two exceptions.
    //     `lost`: it was lost before, or the server said so now. `unreachable`: if the server may
    //     have executed the request, or may yet do so, `writer` is lost, because the server may let
    //     others in. If the server answers with an error, it is asked whether `writer` is still in:
    //     one more round trip. If it is, the call fails with that error (`refused`, `not_a_lock`);
    //     if not, with `lost`; without an answer, with `unreachable`, and `writer` is lost.
    //     `bad_argument`: `writer` is not a writer of this lock.
    //     `not_owner`: it is empty.
    // Threads: any thread may call it, but not while another thread uses `writer`.
    // Cancellation: none. It ends within client_options::command_limit; if the server answers with
    //     an error, within twice that time.
    [[nodiscard]] hold downgrade(hold&& writer);
    [[nodiscard]] hold downgrade(hold&& writer, std::error_code& ec) noexcept;

    // Makes the reader the writer, if it is the only reader. Then no other writer has come between
    // what it read and what it writes. It does so even if others wait in the queue: they go on
    // waiting. Otherwise it returns std::nullopt, and `reader` still has the lock. If the server
    // was asked, new readers of this client do not join the lease of `reader` any more, also after
    // std::nullopt.
    //
    // There is no form that waits. Two readers that wait to become the writer would wait for each
    // other for ever, because each of them stays in. When it returns std::nullopt: release
    // `reader`, acquire() as a writer, and read again, because another writer may have come first.
    // Round trips: one. None if another reader of this client shares the lease of `reader`.
    // On failure: as downgrade().
    // Threads: any thread may call it, but not while another thread uses `reader`.
    // Cancellation: as downgrade().
    [[nodiscard]] std::optional<hold> try_upgrade(hold& reader);
    [[nodiscard]] std::optional<hold> try_upgrade(hold& reader, std::error_code& ec) noexcept;

    // The same without blocking, with any completion token of Boost.Asio. They need <pawl/asio.h>;
    // <pawl/coro.h>, <pawl/futures.h> and <pawl/async.h> have functions for other frameworks. The
    // handler gets an error code and the new hold, which is released in the background when it is
    // destroyed; that of async_try_upgrade() gets a std::optional<hold>, which is empty without an
    // error if there are other readers. The old hold is empty when the call has succeeded. Until
    // then it has the lock, and may be moved.
    // Round trips: as the blocking calls.
    // On failure: the handler gets the error code, and the old hold is as after the blocking calls.
    //     operation_aborted: the client was destroyed, and the old hold is lost.
    // Threads: any thread may call them, but not while another thread uses the old hold. The
    //     handler is called through its associated executor, never inside the call.
    // Cancellation: none. They end within client_options::command_limit; if the server answers with
    //     an error, within twice that time.
    template <class CompletionToken>
    auto async_downgrade(hold& writer, CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::downgrade(
                *this, writer, std::forward<CompletionToken>(token));
        }
    }

    template <class CompletionToken>
    auto async_try_upgrade(hold& reader, CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::try_upgrade(
                *this, reader, std::forward<CompletionToken>(token));
        }
    }

private:
    class PAWL_EXPORT readers_side final : public lockable {
    public:
        explicit readers_side(std::unique_ptr<state> made) noexcept;
        ~readers_side();
    };

    readers_side shared_;
};

}  // namespace pawl
