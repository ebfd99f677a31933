// pawl::hold is a lock that was granted: who has the handle has the lock. It belongs to no thread
// and can be moved to another.
//
//   state      meaning                                               lost()       release()
//   held       granted, and renewed as it should be                  not asked    releases
//   jeopardy   a renewal did not succeed; the deadline is ahead      not asked    releases
//   lost       not held any more; why() says why                     asked        errc::lost
//   released   given back, or moved from                             not asked    errc::not_owner
//
//   if (auto held = stock.try_acquire_for(5s)) {
//       save(row, held->fence());
//       while (more && !held->lost().stop_requested()) step();
//   }                                                    // released here
//
// A hold may be used by several threads at once, but not moved or destroyed meanwhile.
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

namespace sync {
class grant;
}

class PAWL_EXPORT hold {
public:
    // Nothing is held.
    hold() noexcept;

    // Releases what is held. Never throws; a failure is told to the client's log.
    ~hold();

    hold(hold&& other) noexcept;
    hold& operator=(hold&& other) noexcept;
    hold(const hold&) = delete;
    hold& operator=(const hold&) = delete;

    // Gives the lock back, to the first who waits for it if anyone does. One round trip; none when
    // it is passed on to another thread of this client, when it lingers, or when it is lost
    // already. Renewal ends first, unless the lock stays with this client.
    //
    // After it, whatever the outcome, this hold is over: with `unreachable` the server may keep the
    // lock until the lease ends, and the client goes on trying to give it back. `lost` says that it
    // was lost before it could be given back.
    void release();
    void release(std::error_code& ec) noexcept;

    // The same without blocking: with any completion token of Boost.Asio (<pawl/asio.h>), and to be
    // awaited in any coroutine (<pawl/coro.h>). The hold is taken out of this object at once.
    template <class CompletionToken>
    auto async_release(CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::release(
                *this, std::forward<CompletionToken>(token));
        }
    }

    template <class ResumeOn = coro::on_client_thread>
    [[nodiscard]] auto release_async(ResumeOn&& resume_on = {})
    {
        if constexpr (detail::has_coro<ResumeOn>()) {
            return detail::coro_forms<ResumeOn>::release(*this, std::forward<ResumeOn>(resume_on));
        }
    }

    // Makes the lock valid for at least `lease` from now, drift aside; never shortens it. One round
    // trip. On failure the old deadline stands, unless the server said that the lock is lost.
    void extend(std::chrono::milliseconds lease);
    void extend(std::chrono::milliseconds lease, std::error_code& ec) noexcept;

    template <class CompletionToken>
    auto async_extend(std::chrono::milliseconds lease, CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::extend(
                *this, lease, std::forward<CompletionToken>(token));
        }
    }

    template <class ResumeOn = coro::on_client_thread>
    [[nodiscard]] auto extend_async(std::chrono::milliseconds lease, ResumeOn&& resume_on = {})
    {
        if constexpr (detail::has_coro<ResumeOn>()) {
            return detail::coro_forms<ResumeOn>::extend(*this, lease,
                                                        std::forward<ResumeOn>(resume_on));
        }
    }

    // As extend(), but free of charge when the lock is valid for that long already. Call it before a
    // step that must not be interrupted.
    void ensure(std::chrono::milliseconds duration);
    void ensure(std::chrono::milliseconds duration, std::error_code& ec) noexcept;

    // Asks the server whether the lock is still this hold's. One round trip. When it is not, the
    // hold is lost from then on. Throws, or sets ec, only when the server gave no answer.
    [[nodiscard]] bool confirm();
    [[nodiscard]] bool confirm(std::error_code& ec) noexcept;

    // How long the lock is surely held from now, by this machine's own clock: zero when it is not.
    // No round trip.
    [[nodiscard]] std::chrono::nanoseconds valid_for() const noexcept;

    // Grows with every grant of this lock, by the server or inside the process. Hand it to the
    // resource that the lock protects, and let that refuse any number smaller than the greatest it
    // has seen.
    [[nodiscard]] std::uint64_t fence() const noexcept;

    // Stop is requested when the lock is lost, at the local deadline at the latest, whether or not
    // any I/O returns. This function itself looks at the clock, so a thread that was suspended and
    // asks `lost().stop_requested()` gets a true answer.
    [[nodiscard]] std::stop_token lost() const noexcept;

    [[nodiscard]] hold_state state() const noexcept;

    // Why the hold is in jeopardy or lost.
    [[nodiscard]] cause why() const noexcept;

    // What the server stores as the holder: a p and 31 hexadecimal digits, 47 for a lock that lingers.
    // New for each grant by the server; grants that are passed on inside the process share it.
    [[nodiscard]] const std::string& id() const noexcept;

    // The name of the lock.
    [[nodiscard]] const std::string& name() const noexcept;

    // Whether there is something to give back.
    [[nodiscard]] explicit operator bool() const noexcept;

private:
    friend class lockable;
    friend struct async_access;
    explicit hold(std::shared_ptr<sync::grant> grant) noexcept;
    void give_back() noexcept;

    std::shared_ptr<sync::grant> grant_;
    std::atomic<bool> active_{false};  // this hold has not been released
};

}  // namespace pawl
