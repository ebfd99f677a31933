// pawl::hold is the handle on a lock that was granted. The program has the lock as long as it has
// the handle and the handle is not lost. A hold belongs to no thread: it can be moved to another
// thread and released there.
//
//                                                               lost().
//   state      meaning                                          stop_requested()   release()
//   held       granted, and renewed on time                     false              releases
//   jeopardy   a renewal did not succeed or was left out; the   false              releases
//              deadline is ahead
//   lost       not held any more; why() gives the cause         true               errc::lost
//   released   released, moved from, or empty                   false; see below   errc::not_owner
//
// The deadline is the time until which the lock is surely held, by this machine's own clock.
//
// When a lost hold is released, its state changes to `released`. For such a hold,
// lost().stop_requested() is still true after the release, if lost() was called before the release.
//
//   if (auto held = stock.try_acquire_for(5s)) {
//       save(row, held->fence());
//       while (more && !held->lost().stop_requested()) step();
//   }                                                    // released here
//
// Several threads may call the functions of one hold at the same time. No thread may move or
// destroy the hold while another one uses it.
//
// In a child process after fork() the hold is lost. release(), extend(), ensure() and confirm()
// fail there with errc::wrong_process, not with errc::lost, and so do the asynchronous forms. The
// destructor does nothing there.
#pragma once

#include <pawl/detail/forms.h>
#include <pawl/event.h>
#include <pawl/export.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl {

class PAWL_EXPORT hold {
public:
    // Makes an empty hold: it holds nothing. No round trip.
    hold() noexcept;

    // Releases the lock, if it is held. Waits for the server's answer, with two exceptions: on a
    // quorum, the release is sent to all nodes, and the answers are not waited for; a hold from an
    // asynchronous acquire is released in the background.
    // Round trips: as release(); none on a quorum.
    // On failure: does not throw; writes to client_options::log.
    // Threads: any thread.
    // Cancellation: none. It ends within client_options::command_limit.
    ~hold();

    // These move the lock from `other`, which is empty afterwards. The assignment first releases
    // what this hold holds, as the destructor does.
    hold(hold&& other) noexcept;
    hold& operator=(hold&& other) noexcept;
    hold(const hold&) = delete;
    hold& operator=(const hold&) = delete;

    // Releases the lock. If there are waiters, the first one becomes the holder. Renewal stops
    // before the request is sent, unless the lock stays with this client.
    // Round trips: one. None if the lock is passed on to another thread of this client, lingers
    //     (lock_options::linger), or is lost already.
    // On failure: throws pawl::error or sets ec. In any case the hold is over: state() is
    //     `released` afterwards, also after `lost`; why() then gives the cause of the loss. `lost`:
    //     the lock was lost before. `unreachable`: the server may keep the lock until the lease
    //     ends; the client goes on trying to release it. `not_owner`: there was nothing to release.
    // Threads: any thread may call it. If several do, one releases and the others get `not_owner`.
    // Cancellation: none. It ends within client_options::command_limit.
    void release();
    void release(std::error_code& ec) noexcept;

    // Releases the lock without blocking, with any completion token of Boost.Asio. Needs
    // <pawl/asio.h>. This object is empty as soon as the function returns. docs/async.md has the
    // same for coroutines and futures.
    // Round trips: as release().
    // On failure: the handler gets the error code.
    // Threads: any thread may call it.
    // Cancellation: none. The call ends within client_options::command_limit.
    template <class CompletionToken>
    auto async_release(CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::release(
                *this, std::forward<CompletionToken>(token));
        }
    }

    // Extends the lease to `lease` (10 ms to 24 h; on a quorum to longest_lease) on the server. The
    // new local deadline is the time just before the request was sent, plus `lease`, minus drift.
    // If the old one is later, it stays. With lock_options::longest_hold, the deadline is not later
    // than the end of that time: valid_for() says how long the lock is valid now.
    // Round trips: one. None if the lock is lost already.
    // On failure: throws pawl::error or sets ec. The old deadline stays, unless the server says
    //     that the lock is lost.
    // Threads: any thread may call it.
    // Cancellation: none. It ends within client_options::command_limit.
    void extend(std::chrono::milliseconds lease);
    void extend(std::chrono::milliseconds lease, std::error_code& ec) noexcept;

    // Extends the lock without blocking, with any completion token of Boost.Asio. Needs
    // <pawl/asio.h>. The hold may be moved or destroyed once the call has started.
    // Round trips: as extend().
    // On failure: the handler gets the error code.
    // Threads: any thread may call it.
    // Cancellation: none. The call ends within client_options::command_limit.
    template <class CompletionToken>
    auto async_extend(std::chrono::milliseconds lease, CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::extend(
                *this, lease, std::forward<CompletionToken>(token));
        }
    }

    // Extends the lock if necessary, so that it is valid for at least `duration` (10 ms to 24 h)
    // when the call returns. Call it before a step that must end before the deadline. The system
    // may still pause the program during the step for longer than that, so use the fence too.
    // Round trips: none if the lock is valid for that long already. Otherwise one. If the answer
    //     takes longer than about 50 ms, more of the lease is used up than expected; the call may
    //     then ask once more or several times, each time for a longer lease.
    // On failure: as extend(). `bad_argument` if lock_options::longest_hold, or longest_lease of a
    //     quorum, does not allow `duration`; the deadline may have become later by then.
    // Threads: any thread may call it.
    // Cancellation: none. It ends within client_options::command_limit.
    void ensure(std::chrono::milliseconds duration);
    void ensure(std::chrono::milliseconds duration, std::error_code& ec) noexcept;

    // Notes that the work makes progress, so that a lock with lock_options::heartbeat is renewed.
    // Call it from the code that does the work, more often than `heartbeat`. It costs about as much
    // as reading the clock. All holds of a grant share the heartbeat. Returns whether the lock is
    // still held: false if it is lost, released, or in a child process after fork().
    //
    //     while (more && held.beat()) step();
    //
    // Round trips: none.
    // On failure: it does not fail. A beat cannot bring a lost lock back.
    // Threads: any thread may call it. Do not call it from a thread of its own: that would only
    //     show that this thread lives.
    // Cancellation: none. It does not wait, except that a call which finds the deadline passed may
    //     wait for a moment while another thread uses the client.
    bool beat() noexcept;

    // Asks the server whether this hold still has the lock. If it does not, the hold is lost from
    // then on, and the call returns false.
    // Round trips: one. None if the hold is lost or released already; the call then returns false.
    // On failure: throws pawl::error or sets ec, if the server gave no answer or answered with an
    //     error.
    // Threads: any thread may call it.
    // Cancellation: none. It ends within client_options::command_limit.
    [[nodiscard]] bool confirm();
    [[nodiscard]] bool confirm(std::error_code& ec) noexcept;

    // Returns how long from now the lock is surely held, by this machine's own clock. Returns zero
    // if the lock is lost or released.
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] std::chrono::nanoseconds valid_for() const noexcept;

    // Returns the fence: a number that grows with every grant of this lock, by the server or inside
    // the process. A reader of a shared_mutex has the fence of the last writer. Pass it to the
    // resource that the lock protects. The resource must refuse any number smaller than the
    // greatest it has stored; readers store none. This does not work for a counting_semaphore,
    // where several holders are valid at the same time. An empty hold has the fence 0.
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] std::uint64_t fence() const noexcept;

    // Returns a token on which stop is requested when the lock is lost. That happens at the local
    // deadline at the latest, even if no I/O returns. lost() itself checks the clock: a thread that
    // was suspended and calls `lost().stop_requested()` gets a correct answer.
    // Round trips: none.
    // Threads: any thread may call it. Stop callbacks run on the client's thread for stop
    //     callbacks, or inside lost() if that call finds that the lock is lost.
    [[nodiscard]] std::stop_token lost() const noexcept;

    // Returns the state, after a check of the clock.
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] hold_state state() const noexcept;

    // Returns why the hold is in jeopardy or lost. Still gives the cause after release() has failed
    // with `lost`.
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] cause why() const noexcept;

    // Returns the holder id, as the server stores it: a p and 31 hexadecimal digits, or 47 digits
    // for a lock with lock_options::linger. Each grant by the server has a new id. Grants that are
    // passed on inside the process share it.
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] const std::string& id() const noexcept;

    // Returns the name of the lock.
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] const std::string& name() const noexcept;

    // Returns true from the grant until the hold is released or moved from; false for an empty
    // hold. It is true for a lost hold too. To know whether the lock is still held, use lost() or
    // state().
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] explicit operator bool() const noexcept;

    // Used only inside the library.
    class grant;

private:
    friend class acquirable;
    friend struct async_access;
    explicit hold(std::shared_ptr<grant> granted) noexcept;
    void give_back() noexcept;
    [[nodiscard]] bool is_in() const noexcept;  // neither released nor exchanged for another hold
    [[nodiscard]] bool end() noexcept;          // whether this call has ended it

    std::shared_ptr<grant> grant_;
    std::atomic<bool> active_{false};  // this hold has not been released
};

}  // namespace pawl
