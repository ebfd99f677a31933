// The worker processes of one round. They are killed at the latest when this object is destroyed.
#pragma once

#include "board.h"
#include "contender.h"
#include "workload.h"

#include "support/process.h"

#include <chrono>
#include <string>
#include <vector>

namespace pawl::bench {

class crew {
public:
    // Starts them and returns when all are ready. Throws if that does not happen in time.
    crew(const workload& what, contender kind, const std::string& url);

    void go();

    // Lets them run until then. Throws if one of them ends before.
    void run_until(std::chrono::steady_clock::time_point end);

    // Returns when all have ended. Throws, with their output, if one failed or is stuck. The others
    // are killed when this object is destroyed.
    void stop();

    [[nodiscard]] const board& results() const noexcept { return *shared_; }
    // The processor time that all of them have used so far.
    [[nodiscard]] double cpu_us() const;

    [[nodiscard]] std::size_t seats() const noexcept { return seats_; }

private:
    void await_ready();
    void check_alive();
    [[noreturn]] void fail(std::size_t worker, const std::string& how) const;

    std::size_t seats_;
    shared_board shared_;
    std::vector<test::process> workers_;
};

}  // namespace pawl::bench
