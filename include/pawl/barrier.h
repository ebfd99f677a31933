// pawl::barrier: a std::barrier that spans processes and machines. In each phase it waits for as
// many arrivals as it expects. With the last one the phase ends, all waiters are told at once, and
// the next phase begins.
//
//   pawl::barrier step{client, "import:2026-11-16", 4};
//   while (work()) step.arrive_and_wait();     // in each of four processes
//
//   state            meaning                      an arrival                   wait()
//   phase is open    some arrivals are missing    counts; the last one ends    waits
//                                                 the phase
//   phase has ended  all have come                counts in the next phase     returns at once
//   all dropped out  nobody is left for a phase   fails with `refused`         returns at once
//   lost             the server has forgotten it  counts in a new first phase  fails: `refused`
//
//   call                arrives   waits until the phase has ended   from the next phase on
//   arrive              yes       no: wait() of the arrival does     –
//   arrive_and_wait     yes       yes                                –
//   arrive_and_drop     yes       no                                 one arrival less is expected
//
// A participant arrives once in each phase. One that has no more work calls arrive_and_drop().
//
// A participant too many is not detected: if five arrive one by one at a barrier of four, the fifth
// counts as the first one of the next phase. Arrivals are refused only if one call counts for more
// of them than are missing in this phase, or if all participants have dropped out.
//
// A barrier cannot see that a participant has crashed: the phase then does not end. So wait with a
// limit, and give each run a name of its own.
//
// The first call makes the barrier at the server. The server forgets it 24 hours after the last
// call. After that, or if the server loses its data, the barrier begins with a new first phase, and
// expects the number of the constructor again, also if participants had dropped out. A waiter whose
// arrival is lost gets `refused`. If the server has a barrier of this name that was made for
// another number, calls fail with `refused`; the message has both numbers. A quorum has no
// barriers: docs/topologies/quorum.md, "Which locks work".
#pragma once

#include <pawl/client.h>
#include <pawl/detail/forms.h>
#include <pawl/export.h>
#include <pawl/waitable.h>

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl {

class PAWL_EXPORT barrier {
public:
    // One arrival, which can be waited for until its phase has ended. It may outlive the barrier
    // object. <pawl/waitable.h> documents the functions that wait.
    class PAWL_EXPORT arrival : public waitable {
    public:
        // An empty arrival: waiting fails with `bad_argument`.
        arrival() noexcept;

        // The other one is empty afterwards.
        arrival(arrival&&) noexcept = default;
        arrival& operator=(arrival&&) noexcept = default;
        ~arrival() = default;
        arrival(const arrival&) = delete;
        arrival& operator=(const arrival&) = delete;

        // Whether it is an arrival, and not empty.
        [[nodiscard]] explicit operator bool() const noexcept { return has_state(); }

    private:
        friend class barrier;
        friend struct async_access;
        explicit arrival(std::unique_ptr<state> made) noexcept;
    };
    using arrival_token = arrival;  // the name in std::barrier

    // Checks the name (1 to 512 bytes, any except NUL) and the number (1 to max()). No round trip.
    // Throws pawl::error (bad_argument).
    barrier(client& client, std::string_view name, unsigned expected);
    ~barrier();
    barrier(const barrier&) = delete;
    barrier& operator=(const barrier&) = delete;

    // Arrives, as `count` participants at once. Does not wait for the others: wait() of the result
    // does.
    // Round trips: one.
    // On failure: throws pawl::error, or sets ec and returns an empty arrival. A request that is
    //     repeated because an answer was lost counts once. After `unreachable` it is not known
    //     whether it was counted. Fails with `refused` if fewer than `count` arrivals are missing
    //     in this phase; then nothing is counted.
    // Threads: any thread may call it, several at the same time.
    // Cancellation: none. The call ends within client_options::command_limit.
    [[nodiscard]] arrival arrive(unsigned count = 1);
    [[nodiscard]] arrival arrive(std::error_code& ec) noexcept;
    [[nodiscard]] arrival arrive(unsigned count, std::error_code& ec) noexcept;

    // Waits until the phase of the arrival has ended: as waitable::wait(). The arrival is empty
    // afterwards, also after a failure.
    void wait(arrival&& mine, const std::stop_token& stop = {}) const;
    void wait(arrival&& mine, std::error_code& ec) const noexcept;
    void wait(arrival&& mine, const std::stop_token& stop, std::error_code& ec) const noexcept;

    // Arrives, and waits until the phase has ended.
    // Round trips, on failure, threads: as arrive() and waitable::wait().
    // Cancellation: a stop request ends the wait at once, with `cancelled`. The arrival counts even
    //     so.
    void arrive_and_wait(const std::stop_token& stop = {});
    void arrive_and_wait(std::error_code& ec) noexcept;
    void arrive_and_wait(const std::stop_token& stop, std::error_code& ec) noexcept;

    // Arrives, and takes no part in the next phases: one arrival less is expected in them.
    // Round trips, on failure, threads, cancellation: as arrive().
    void arrive_and_drop();
    void arrive_and_drop(std::error_code& ec) noexcept;

    // These arrive with any completion token of Boost.Asio, as the members of waitable wait. The
    // handler gets an error code; that of async_arrive() also the arrival.
    // Round trips, on failure, threads: as the blocking calls, and as waitable::async_wait().
    // Cancellation: of async_arrive_and_wait(), through the handler's associated cancellation slot,
    //     which ends the wait. The arrival counts even so. If the client is destroyed before the
    //     arrival was answered, it may have counted or not. The others end within
    //     client_options::command_limit.
    template <class CompletionToken>
    auto async_arrive(CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::arrive(
                *this, 1, std::forward<CompletionToken>(token));
        }
    }

    template <class CompletionToken>
    auto async_arrive(unsigned count, CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::arrive(
                *this, count, std::forward<CompletionToken>(token));
        }
    }

    template <class CompletionToken>
    auto async_arrive_and_wait(CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::arrive_and_wait(
                *this, std::forward<CompletionToken>(token));
        }
    }

    template <class CompletionToken>
    auto async_arrive_and_drop(CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::arrive_and_drop(
                *this, std::forward<CompletionToken>(token));
        }
    }

    // Returns the number that was given to the constructor.
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] unsigned expected() const noexcept;

    // Returns the greatest number that a barrier can expect.
    [[nodiscard]] static constexpr unsigned max() noexcept { return most_arrivals; }

    // Returns the name of the barrier.
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] const std::string& name() const noexcept;

private:
    friend struct async_access;

    class arrivals;
    std::shared_ptr<arrivals> arrivals_;
};

}  // namespace pawl
