// pawl::latch: a std::latch that spans processes and machines. It opens when it has been counted
// down as often as it expects, and stays open.
//
//   pawl::latch ready{client, "ready", 3};
//   ready.count_down();      // in each of three processes
//   ready.wait();            // in any process
//
//   state    meaning                         count_down                      wait
//   closed   some count_down() are missing   counts; the last one opens it   waits
//   open     all have come                   fails with `refused`            returns at once
//
// The latch is made at the server by the first call, and is forgotten 24 hours after the last call.
// After that, or if the server loses its data, it is closed and starts to count anew. So give each
// use a name of its own, for example with the date or the number of the batch. A latch of the same
// name that expects another number is an error (`refused`) which names both numbers.
//
// <pawl/waitable.h> documents the functions that wait.
#pragma once

#include <pawl/waitable.h>

#include <memory>
#include <string_view>
#include <system_error>

namespace pawl {

class PAWL_EXPORT latch : public waitable {
public:
    // Checks the name (1 to 512 bytes, any except NUL) and the number (1 to 1,000,000). No round
    // trip. Throws pawl::error (bad_argument).
    latch(client& client, std::string_view name, unsigned expected);
    ~latch();
    latch(const latch&) = delete;
    latch& operator=(const latch&) = delete;

    // Counts down by `count`. If nothing is missing any more, all waiters are told at once.
    // Round trips: one.
    // On failure: throws pawl::error, or sets ec. A request that is repeated because an answer was
    //     lost counts once. After `unreachable` it is not known whether it was counted. Fails with
    //     `refused` if fewer than `count` are missing.
    // Threads: any thread may call it, several at the same time.
    void count_down(unsigned count = 1);
    void count_down(std::error_code& ec) noexcept;
    void count_down(unsigned count, std::error_code& ec) noexcept;

    // Counts down, then waits: as count_down() and wait().
    void arrive_and_wait(unsigned count = 1, const std::stop_token& stop = {});

    // The number that was given to the constructor.
    [[nodiscard]] unsigned expected() const noexcept;

private:
    class arrivals;
    std::unique_ptr<arrivals> arrivals_;
};

}  // namespace pawl
