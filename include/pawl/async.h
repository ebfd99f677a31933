// The basic asynchronous calls. The caller passes a completion, an object that gets the result.
// <pawl/asio.h>, <pawl/coro.h> and <pawl/futures.h> are built on these calls. Use this header to
// build the same for another framework; docs/async.md helps to choose.
//
// The calls do not block. There is one exception: on a `local:` server that does not run yet, the
// first call of a client may start the server, and waits for that. Thousands of calls may be in
// progress; none of them needs a thread of its own.
//
// The completion is called once, on the client's own thread. It is never called inside the call
// that started it; the last paragraph has the exception. But the client's thread may be so fast
// that the completion runs there before the call has returned to its caller. All locks of the
// client depend on the client's thread. So a completion should only pass the result on and return.
// It must not destroy the client.
//
// Blocking and asynchronous callers of one lock wait in the same queue. With a recursive_mutex an
// asynchronous caller cannot enter again: each asynchronous hold is an owner of its own, so a
// second acquire waits for the first.
//
//   how it ends                              code            the hold
//   granted                                  none            holds the lock
//   busy (time_limit::now())                 busy            empty
//   the limit passed                         timed_out       empty
//   stop was requested                       cancelled       empty
//   the client was destroyed                 cancelled       empty
//   trouble (<pawl/acquirable.h>,            as blocking     empty
//   <pawl/waitable.h>)                       calls
//
// If the client is destroyed while a call without a stop token is in progress, such as a release or
// an arrival, the destructor waits for it, for at most client_options::shutdown_limit. If there is
// no answer by then, the call ends with `cancelled`.
//
// wait() ends in the same ways as acquire(), without a hold.
//
//   when stop is requested                   what happens
//   before a request was sent                no request is sent
//   while an answer is awaited               the client sends a release right behind the request,
//                                            in case the request is granted
//   while it waits in the queue              it leaves the queue: in the process at once, at the
//                                            server in the background
//   when it was granted, but the             the completion gets the hold
//   completion was not yet called
//
// Some errors are known at once. The call then throws pawl::error, and the completion is not
// called: wrong_process in a child process, not_owner for a hold that holds nothing, bad_argument,
// and a `local:` server that cannot be started.
//
// A hold may outlive its client; it is lost then. release(), extend(), downgrade(), try_upgrade()
// and yield_to() of such a hold call the completion inside the call, because the client's thread
// has ended.
#pragma once

#include <pawl/acquirable.h>
#include <pawl/barrier.h>
#include <pawl/condition_variable.h>
#include <pawl/counting_semaphore.h>
#include <pawl/export.h>
#include <pawl/hold.h>
#include <pawl/latch.h>
#include <pawl/leader.h>
#include <pawl/once_per.h>
#include <pawl/shared_mutex.h>
#include <pawl/time_limit.h>
#include <pawl/waitable.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <system_error>

namespace pawl::async {

// The receiver of the result of acquire(), downgrade() and try_upgrade(). Derive from it.
class acquire_completion {
public:
    acquire_completion() = default;
    virtual ~acquire_completion() = default;
    acquire_completion(const acquire_completion&) = delete;
    acquire_completion& operator=(const acquire_completion&) = delete;

    // On success `ec` is clear and `got` holds the lock. `message` describes a failure, as
    // pawl::error::what() does. It is valid only until done() returns.
    virtual void done(hold got, std::error_code ec, std::string_view message) noexcept = 0;
};

// The receiver of the result of arrive(). Derive from it.
class arrive_completion {
public:
    arrive_completion() = default;
    virtual ~arrive_completion() = default;
    arrive_completion(const arrive_completion&) = delete;
    arrive_completion& operator=(const arrive_completion&) = delete;

    // On success `ec` is clear, and `got` is the arrival. `message` is as in acquire_completion.
    virtual void done(barrier::arrival got, std::error_code ec,
                      std::string_view message) noexcept = 0;
};

// The receiver of the result of try_begin(). Derive from it.
class begin_completion {
public:
    begin_completion() = default;
    virtual ~begin_completion() = default;
    begin_completion(const begin_completion&) = delete;
    begin_completion& operator=(const begin_completion&) = delete;

    // On success `ec` is clear, and `got` is the run. `message` is as in acquire_completion.
    virtual void done(once_per::turn got, std::error_code ec,
                      std::string_view message) noexcept = 0;
};

// The receiver of the result of calls that ask for a value: yield_to(), current() and due_in().
// Derive from it.
template <class Value>
class value_completion {
public:
    value_completion() = default;
    virtual ~value_completion() = default;
    value_completion(const value_completion&) = delete;
    value_completion& operator=(const value_completion&) = delete;

    // On success `ec` is clear, and `got` is the value. On failure `got` is an empty value, false
    // or 0. `message` is as in acquire_completion.
    virtual void done(Value got, std::error_code ec, std::string_view message) noexcept = 0;
};

// The receiver of the result of all other calls. Derive from it.
class completion {
public:
    completion() = default;
    virtual ~completion() = default;
    completion(const completion&) = delete;
    completion& operator=(const completion&) = delete;

    // On success `ec` is clear. `message` is as in acquire_completion::done().
    virtual void done(std::error_code ec, std::string_view message) noexcept = 0;
};

// Acquires the lock, and waits until `limit`. The mutex object `lock` may be destroyed while the
// call is in progress. The destructor of the resulting hold releases the lock in the background: no
// thread waits for the server.
// Round trips: as acquirable::acquire().
// On failure: the completion gets the code; errors that are known at once are thrown.
// Threads: any thread may call it.
// Cancellation: by `stop`, as in the table above.
PAWL_EXPORT void acquire(acquirable& lock, time_limit limit,
                         std::unique_ptr<acquire_completion> told, std::stop_token stop = {});

// Releases the lock, as hold::release() does. If `told` is null, a failure is written to
// client_options::log.
// Round trips: as hold::release().
// On failure: the completion gets the code; errors that are known at once are thrown.
// Threads: any thread may call it.
// Cancellation: none. The call ends within client_options::command_limit.
PAWL_EXPORT void release(hold what, std::unique_ptr<completion> told = nullptr);

// Extends the lock, as hold::extend() does. The hold may be moved or destroyed while the call is in
// progress.
// Round trips: as hold::extend().
// On failure: the completion gets the code; errors that are known at once are thrown.
// Threads: any thread may call it.
// Cancellation: none. The call ends within client_options::command_limit.
PAWL_EXPORT void extend(hold& what, std::chrono::milliseconds lease,
                        std::unique_ptr<completion> told);

// ── Shared mutexes ──────────────────────────────────────────────────────────────────────────────
// The shared_mutex object may be destroyed while the call is in progress. The old hold may be
// moved. It is empty when the completion is called with the new hold, and not before. If it is
// released or destroyed earlier, the lock of the old hold is given back, and the completion may get
// the new hold even so.

// Makes the writer a reader, as shared_mutex::downgrade() does. The destructor of the new hold
// releases the lock in the background.
// Round trips: as shared_mutex::downgrade().
// On failure: the completion gets the code; errors that are known at once are thrown. `writer`
//     still has the lock, with the exceptions of shared_mutex::downgrade(). If the client was
//     destroyed (`cancelled`), it is lost.
// Threads: any thread may call it, but not while another thread uses `writer`.
// Cancellation: none. The call ends within client_options::command_limit; if the server answers
//     with an error, within twice that time.
PAWL_EXPORT void downgrade(shared_mutex& lock, hold& writer,
                           std::unique_ptr<acquire_completion> told);

// Makes the reader the writer if it is the only reader, as shared_mutex::try_upgrade() does.
// Otherwise the completion gets `busy`, and `reader` still has the lock. The destructor of the new
// hold releases the lock in the background.
// Round trips: as shared_mutex::try_upgrade().
// On failure, threads, cancellation: as downgrade().
PAWL_EXPORT void try_upgrade(shared_mutex& lock, hold& reader,
                             std::unique_ptr<acquire_completion> told);

// ── Semaphores ──────────────────────────────────────────────────────────────────────────────────

// Sets the capacity, as counting_semaphore::resize() does. The object may be destroyed while the
// call is in progress.
// Round trips: as counting_semaphore::resize().
// On failure: the completion gets the code; errors that are known at once are thrown.
// Threads: any thread may call it.
// Cancellation: none. It ends as counting_semaphore::resize() does.
PAWL_EXPORT void resize(counting_semaphore& what, unsigned capacity,
                        std::unique_ptr<completion> told);

// ── Latches and barriers ────────────────────────────────────────────────────────────────────────
// The latch, barrier or arrival object may be destroyed while the call is in progress.

// Waits until `limit`, as the functions of waitable do.
// Round trips: as waitable::wait().
// On failure: the completion gets the code; errors that are known at once are thrown.
// Threads: any thread may call it.
// Cancellation: by `stop`.
PAWL_EXPORT void wait(const waitable& what, time_limit limit, std::unique_ptr<completion> told,
                      std::stop_token stop = {});

// Counts down, as latch::count_down() does.
// Round trips: one.
// On failure: the completion gets the code; errors that are known at once are thrown.
// Threads: any thread may call it.
// Cancellation: none. The call ends within client_options::command_limit.
PAWL_EXPORT void count_down(latch& what, unsigned count, std::unique_ptr<completion> told);

// Counts down and waits, as latch::arrive_and_wait() does.
// Round trips: as latch::arrive_and_wait().
// On failure: the completion gets the code; errors that are known at once are thrown.
// Threads: any thread may call it.
// Cancellation: by `stop`, which ends the wait. The arrival counts even so. If the client is
//     destroyed before the arrival was answered, it may have counted or not.
PAWL_EXPORT void arrive_and_wait(latch& what, unsigned count, std::unique_ptr<completion> told,
                                 std::stop_token stop = {});

// Arrives, as barrier::arrive() and barrier::arrive_and_drop() do.
// Round trips: one.
// On failure: the completion gets the code; errors that are known at once are thrown.
// Threads: any thread may call it.
// Cancellation: none. The call ends within client_options::command_limit.
PAWL_EXPORT void arrive(barrier& what, unsigned count, std::unique_ptr<arrive_completion> told);
PAWL_EXPORT void arrive_and_drop(barrier& what, std::unique_ptr<completion> told);

// Arrives and waits, as barrier::arrive_and_wait() does.
// Round trips: as barrier::arrive_and_wait().
// On failure: the completion gets the code; errors that are known at once are thrown.
// Threads: any thread may call it.
// Cancellation: by `stop`, which ends the wait. The arrival counts even so. If the client is
//     destroyed before the arrival was answered, it may have counted or not.
PAWL_EXPORT void arrive_and_wait(barrier& what, std::unique_ptr<completion> told,
                                 std::stop_token stop = {});

// ── Condition variables ─────────────────────────────────────────────────────────────────────────
// The condition variable object may be destroyed while the call is in progress.

// Gives the lock back, waits until `limit`, and has the lock again, as the functions of
// condition_variable do. The completion gets the new hold. It holds the lock also if the code is
// `timed_out`, or `cancelled` after a stop request; with all other codes, and if the client was
// destroyed, it is empty.
// Round trips: as condition_variable::wait().
// On failure: the completion gets the code; errors that are known at once are thrown, and then the
//     lock of `held` is released.
// Threads: any thread may call it.
// Cancellation: by `stop`, which ends the wait for a notification.
PAWL_EXPORT void wait(condition_variable& what, hold held, time_limit limit,
                      std::unique_ptr<acquire_completion> told, std::stop_token stop = {});

// Notify, as the functions of condition_variable do.
// Round trips: one.
// On failure: the completion gets the code; errors that are known at once are thrown.
// Threads: any thread may call them.
// Cancellation: none. The calls end within client_options::command_limit.
PAWL_EXPORT void notify_one(condition_variable& what, std::unique_ptr<completion> told);
PAWL_EXPORT void notify_all(condition_variable& what, std::unique_ptr<completion> told);

// ── Once per period ─────────────────────────────────────────────────────────────────────────────

// Begins a run if one is due, as once_per::try_begin() does. If no run may begin now, the
// completion gets `busy` or `not_due`. The object may be destroyed while the call is in progress.
// The destructor of the resulting turn ends the run in the background.
// Round trips: one.
// On failure: the completion gets the code; errors that are known at once are thrown.
// Threads: any thread may call it.
// Cancellation: by `stop`.
PAWL_EXPORT void try_begin(once_per& what, std::unique_ptr<begin_completion> told,
                           std::stop_token stop = {});

// Ends the run as a success, as once_per::turn::done() does. If `told` is null, a failure is
// written to client_options::log.
// Round trips: one.
// On failure: the completion gets the code; errors that are known at once are thrown.
// Threads: any thread may call it.
// Cancellation: none. The call ends within client_options::command_limit.
PAWL_EXPORT void done(once_per::turn what, std::unique_ptr<completion> told = nullptr);

// Asks for the time until the next run is due, as once_per::due_in() does. The object may be
// destroyed while the call is in progress.
// Round trips: one.
// On failure: the completion gets the code; errors that are known at once are thrown.
// Threads: any thread may call it.
// Cancellation: none. The call ends within client_options::command_limit.
PAWL_EXPORT void due_in(once_per& what,
                        std::unique_ptr<value_completion<std::chrono::milliseconds>> told);

// ── Leaders ─────────────────────────────────────────────────────────────────────────────────────

// Hands the lead over to the candidate with this name, as leader::term::yield_to() does. The
// completion gets whether it leads now. If it does, the term is empty when the completion is
// called, and not before. The term may be moved while the call is in progress.
// Round trips: as leader::term::yield_to().
// On failure: the completion gets the code; errors that are known at once are thrown. The term goes
//     on or is lost, as after leader::term::yield_to(). If the client was destroyed (`cancelled`),
//     it is lost.
// Threads: any thread may call it, one at a time.
// Cancellation: none. The call ends within client_options::command_limit; if the server answers
//     with an error, within twice that time.
PAWL_EXPORT void yield_to(leader::term& term, std::string_view candidate,
                          std::unique_ptr<value_completion<bool>> told);

// Asks who leads, as leader::current() does. The leader object may be destroyed while the call is
// in progress.
// Round trips: one.
// On failure: the completion gets the code; errors that are known at once are thrown.
// Threads: any thread may call it.
// Cancellation: none. The call ends within client_options::command_limit.
PAWL_EXPORT void current(leader& where,
                         std::unique_ptr<value_completion<std::optional<leader_info>>> told);

}  // namespace pawl::async
