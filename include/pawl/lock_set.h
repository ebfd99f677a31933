// pawl::lock_set: several locks that are acquired together, all or none, with one hold.
// pawl::acquire_all() does the same in one call.
//
//   auto both = pawl::acquire_all(client, {"account:1", "account:2"});   // a pawl::hold
//
//   pawl::lock_set accounts{client, {"account:1", "account:2"}};
//   { std::scoped_lock guard{accounts}; /* … */ }
//   if (auto held = accounts.try_acquire_for(5s)) transfer(held->fence());
//
// The locks are ordinary ones: a pawl::mutex or fair_mutex with one of the names excludes the set,
// and the set excludes it. With `layout = hash`, the same is true for recursive_mutex.
//
//   state       at the server
//   free        no lock is taken
//   waiting     none of them is held. The caller has a place in the queue of the first lock that
//               was busy. When that lock is handed over to it, it has a part: it asks for the
//               others at once, and gets all of them, or gives the part back in the same step
//   held        all locks have the same holder, the same lease and the same fence
//   lost        at least one of them is not the holder's any more. The hold is lost as a whole. The
//               locks that are left are given back when the hold is released or destroyed, at the
//               latest when their lease ends
//
// No deadlock. The order in which callers name the locks does not matter, because nobody waits with
// a lock of the set in hand. A part is held for one message and one request, and for 1 s at most,
// even if the caller crashes at that moment or its message is lost.
//
// Order. There is none. A set waits for one lock after the other, and another caller may take one
// of them meanwhile. So if the single locks are nearly always taken, a set may wait for long. A
// single lock that is needed often should be held briefly.
//
// The fence is greater than all fences before it of each of the locks, so it can be used for
// everything that any of them protects.
//
// Each caller asks the server itself: a set is never passed on inside the process, and does not
// linger. A thread that holds one of the locks through another object, and then waits for the set,
// waits for itself; only lock() of the same lock_set detects that.
//
// All locks of a set are on one server, that of its client. In a Redis Cluster, all names need the
// same hash tag. A quorum has no sets, because no single step takes all locks there
// (docs/topologies/quorum.md). For locks on several servers, in several slots or on a quorum, use
// std::scoped_lock or std::lock with several mutexes. It waits for one of them, and only tries the
// others. If one of those is busy, it gives back what it has, and begins again. So it cannot
// deadlock either. But it takes the locks one after the other, and each has a lease and a fence of
// its own.
//
// <pawl/lockable.h> and <pawl/acquirable.h> document the functions. All forms are there: blocking,
// with a std::error_code, for Boost.Asio, coroutines and futures.
#pragma once

#include <pawl/client.h>
#include <pawl/detail/with_code.h>
#include <pawl/export.h>
#include <pawl/hold.h>
#include <pawl/lockable.h>
#include <pawl/options.h>
#include <pawl/time_limit.h>

#include <chrono>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace pawl {

class PAWL_EXPORT lock_set : public lockable {
public:
    // Checks the names (each 1 to 512 bytes, any except NUL) and the options;
    // lock_options::linger must be 0. There may be 1 to 16 names. A name that is given twice counts
    // once, so that names can come from data, such as the two accounts of a transfer.
    // Round trips: none.
    // On failure: throws pawl::error (bad_argument).
    lock_set(client& client, std::vector<std::string> names, const lock_options& options = {});
    ~lock_set();

    // Returns the names, each once, in ascending order. name() returns them in one text, with ", "
    // between them, as messages and events show them.
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] std::span<const std::string> names() const noexcept;
};

// ── In one call ─────────────────────────────────────────────────────────────────────────────────
// These make a lock_set and acquire it, with acquire(), try_acquire() or try_acquire_for().
// Round trips: one if all locks are free. Otherwise one to join a queue, and one more for each lock
//     that is handed over; joining takes more if the client is not subscribed yet (acquirable.h).
// On failure: throws pawl::error, or sets ec and returns an empty hold or std::nullopt. The code is
//     `bad_argument` where the constructor of lock_set would throw it; otherwise as in
//     acquirable.h. No lock of the set is held then. If the server cannot be reached, what it has
//     granted ends with its lease.
// Threads: any thread may call them.
// Cancellation: a stop request ends the wait at once.

[[nodiscard]] PAWL_EXPORT hold acquire_all(client& client, std::vector<std::string> names,
                                           const lock_options& options = {},
                                           const std::stop_token& stop = {});
[[nodiscard]] PAWL_EXPORT hold acquire_all(client& client, std::vector<std::string> names,
                                           const lock_options& options,
                                           std::error_code& ec) noexcept;
[[nodiscard]] PAWL_EXPORT hold acquire_all(client& client, std::vector<std::string> names,
                                           const lock_options& options, const std::stop_token& stop,
                                           std::error_code& ec) noexcept;

[[nodiscard]] PAWL_EXPORT std::optional<hold> try_acquire_all(client& client,
                                                              std::vector<std::string> names,
                                                              const lock_options& options = {});
[[nodiscard]] PAWL_EXPORT std::optional<hold> try_acquire_all(client& client,
                                                              std::vector<std::string> names,
                                                              const lock_options& options,
                                                              std::error_code& ec) noexcept;

template <class Rep, class Period>
[[nodiscard]] std::optional<hold> try_acquire_all_for(client& client,
                                                      std::vector<std::string> names,
                                                      std::chrono::duration<Rep, Period> wait,
                                                      const lock_options& options = {},
                                                      const std::stop_token& stop = {})
{
    return lock_set{client, std::move(names), options}.try_acquire_for(wait, stop);
}

template <class Rep, class Period>
[[nodiscard]] std::optional<hold> try_acquire_all_for(
    client& client, std::vector<std::string> names, std::chrono::duration<Rep, Period> wait,
    const lock_options& options, const std::stop_token& stop, std::error_code& ec) noexcept
{
    return detail::with_code(ec, [&] {
        return lock_set{client, std::move(names), options}.try_acquire_for(wait, stop, ec);
    });
}

template <class Rep, class Period>
[[nodiscard]] std::optional<hold> try_acquire_all_for(client& client,
                                                      std::vector<std::string> names,
                                                      std::chrono::duration<Rep, Period> wait,
                                                      const lock_options& options,
                                                      std::error_code& ec) noexcept
{
    return try_acquire_all_for(client, std::move(names), wait, options, {}, ec);
}

}  // namespace pawl
