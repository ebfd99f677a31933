// Asynchronous calls in their plainest form: whoever wants the result hands in a completion.
// <pawl/asio.h>, <pawl/coro.h> and <pawl/future.h> are made of these calls, and what another framework
// needs can be made of them too.
//
// No call blocks, but for a client's first one on a local: server that does not run yet: that is started
// then. A completion is told once, on the client's own thread and never inside the call, though perhaps
// before the call has returned. All locks of the client depend on that thread, so a completion hands
// the result to whoever it is for, and returns. It must not destroy the client.
// Thousands of calls may be under way; none of them takes a thread.
//
// Blocking and asynchronous callers of one lock wait in the same line. An asynchronous caller is no
// thread: with a recursive_mutex each such hold is an owner of its own, and would wait for itself.
//
//   how it ends                              code            the hold
//   granted                                  none            holds the lock
//   busy (time_limit::now())                 busy            empty
//   the limit passed                         timed_out       empty
//   stop was requested                       cancelled       empty
//   the client was destroyed                 cancelled       empty
//   trouble                                  as in lockable  empty
//
// When stop is requested        what is true then
// before anything was sent      nothing was, and nothing will be
// while an answer is awaited    the client takes back, right behind it, what may have been granted
// while it waits in line        it has left the line in the process; its place at the server is given up
// when it was granted, but      the completion gets the hold: it was granted first
// not yet told
//
// What can be known at once is thrown as a pawl::error, and nothing is told then: wrong_process in a child
// process, not_owner for a hold that holds nothing, bad_argument, a local: server that cannot be started.
//
// A hold may outlive its client, and is lost then. Who releases or extends it is told so inside the call:
// the client's thread is gone.
#pragma once

#include <pawl/export.h>
#include <pawl/hold.h>
#include <pawl/lockable.h>
#include <pawl/time_limit.h>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string_view>
#include <system_error>

namespace pawl::async {

class acquire_completion {
public:
    acquire_completion() = default;
    virtual ~acquire_completion() = default;
    acquire_completion(const acquire_completion&) = delete;
    acquire_completion& operator=(const acquire_completion&) = delete;

    // `message` says more about a failure, as pawl::error::what() does; it is gone when this returns.
    virtual void done(hold got, std::error_code ec, std::string_view message) noexcept = 0;
};

class completion {
public:
    completion() = default;
    virtual ~completion() = default;
    completion(const completion&) = delete;
    completion& operator=(const completion&) = delete;

    virtual void done(std::error_code ec, std::string_view message) noexcept = 0;
};

// The hold that comes of it is released in the background when it is destroyed: no thread waits for
// the server then. The lock may be destroyed while the call is under way.
PAWL_EXPORT void acquire(lockable& lock, time_limit limit, std::unique_ptr<acquire_completion> told,
                         std::stop_token stop = {});

// As hold::release(). `told` may be null: a failure is then told to the client's log.
PAWL_EXPORT void release(hold what, std::unique_ptr<completion> told = nullptr);

// As hold::extend(). The hold may be moved or destroyed meanwhile.
PAWL_EXPORT void extend(hold& what, std::chrono::milliseconds lease,
                        std::unique_ptr<completion> told);

}  // namespace pawl::async
