// A process that uses all locks and gates again and again, each kind on a thread of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pawl::faults {

// What a worker does wrong on purpose: the checks must find it.
enum class defect {
    none,
    no_lock,          // it writes without a lock, and waits at no gate
    lock_of_its_own,  // no other worker has a lock with that name
    old_fence,        // each of its grants has the same fence
    fence_ahead,      // sometimes it writes with the fence of a later grant
    stops_asking,     // the first worker does not ask for its mutex again
};

struct worker_order {
    std::string board{};    // path of the mapped file
    std::string history{};  // path of its own history
    std::string url{};
    std::string ca_file{};  // empty: no TLS
    std::string scratch{};  // a small disk for its log; empty: its log is its stderr
    std::size_t index = 0;  // of all workers so far
    std::size_t place = 0;  // of those that work at the same time
    unsigned workers = 1;   // as many work at the same time
    std::uint64_t seed = 0;
    std::chrono::milliseconds lease{1'000};
    bool keeps_arrivals = false;  // of gates, as long as the answer to a call arrives
    defect wrong = defect::none;
};

// As arguments of this program, after its name and "worker"; and back.
[[nodiscard]] std::vector<std::string> arguments_of(const worker_order& order);
[[nodiscard]] worker_order order_from(const std::vector<std::string>& arguments);

// Returns the exit status.
[[nodiscard]] int work(const worker_order& order);

}  // namespace pawl::faults
