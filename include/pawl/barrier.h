// pawl::barrier: a std::barrier that spans processes and machines. In each phase it waits for as
// many arrivals as it expects. With the last one the phase ends, all waiters are told at once, and
// the next phase begins.
//
//   pawl::barrier phase{client, "phase", 4};
//   while (work()) phase.arrive_and_wait();     // in each of four processes
//
// A participant arrives once in each phase. One that does no more work leaves with
// arrive_and_drop(): from the next phase on, one arrival less is expected.
//
// A barrier cannot see that a participant has crashed: the phase then does not end. Wait with a
// limit. The barrier is made at the server by the first call, and is forgotten 24 hours after the
// last call. After that, or if the server loses its data, it starts with its first phase. A barrier
// of the same name that expects another number is an error (`refused`) which names both numbers.
#pragma once

#include <pawl/waitable.h>

#include <memory>
#include <stop_token>
#include <string_view>
#include <system_error>

namespace pawl {

class PAWL_EXPORT barrier {
public:
    // One arrival. It is open when its phase has ended. It may outlive the barrier object.
    class PAWL_EXPORT arrival : public waitable {
    public:
        arrival(arrival&&) noexcept = default;
        arrival& operator=(arrival&&) noexcept = default;
        ~arrival() = default;
        arrival(const arrival&) = delete;
        arrival& operator=(const arrival&) = delete;

    private:
        friend class barrier;
        using waitable::waitable;
    };

    // Checks the name (1 to 512 bytes, any except NUL) and the number (1 to 1,000,000). No round
    // trip. Throws pawl::error (bad_argument).
    barrier(client& client, std::string_view name, unsigned expected);
    ~barrier();
    barrier(const barrier&) = delete;
    barrier& operator=(const barrier&) = delete;

    // Arrives, as `count` participants at once. Does not wait for the others: wait() of the result
    // does.
    // Round trips: one.
    // On failure: throws pawl::error. A request that is repeated because an answer was lost counts
    //     once. After `unreachable` it is not known whether it was counted. Fails with `refused`
    //     if fewer than `count` arrivals are missing in this phase.
    // Threads: any thread may call it, several at the same time.
    [[nodiscard]] arrival arrive(unsigned count = 1);

    // Waits until the phase of the arrival has ended, as waitable::wait().
    void wait(arrival&& mine, const std::stop_token& stop = {}) const;

    // Arrives, and waits until the phase has ended.
    // Round trips: as arrive() and waitable::wait().
    // On failure: as these.
    // Threads: any thread may call it, several at the same time.
    // Cancellation: a stop request ends the wait at once, with `cancelled`. The arrival counts.
    void arrive_and_wait(const std::stop_token& stop = {});

    // Arrives, and does not take part any more.
    // Round trips, on failure, threads: as arrive().
    void arrive_and_drop();

    // The number that was given to the constructor.
    [[nodiscard]] unsigned expected() const noexcept;

    [[nodiscard]] const std::string& name() const noexcept;

private:
    class arrivals;
    std::unique_ptr<arrivals> arrivals_;
};

}  // namespace pawl
