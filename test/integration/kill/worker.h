// What a kind of lock needs to take part in the kill test.
//
// To add a kind, derive from `kind` and register it, in a source file of this folder:
//
//   const registered_kind with_a_mutex{"mutex", [](const setting& with) {
//       return std::make_unique<mutex_under_kill>(with); }};
//
// The test starts processes of several threads each. Each thread calls turn() again and again,
// while processes are killed and replaced.
#pragma once

#include <pawl/pawl.h>

#include "integration/kill/arena.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <stop_token>
#include <string>
#include <utility>

namespace pawl::test::kill {

using namespace std::chrono_literals;

inline constexpr std::chrono::milliseconds lease{500};

// The longest wait of a caller in a test that works. Nobody is out of its turn for so long.
inline constexpr std::chrono::milliseconds longest_wait{20'000};

// One thread of a worker process.
class worker {
public:
    worker(arena& all, claim& mine, std::stop_token stop)
        : all_{all}, mine_{mine}, stop_{std::move(stop)}
    {
    }

    // Is requested when the test is over. Pass it to each call that waits.
    [[nodiscard]] const std::stop_token& stop() const noexcept { return stop_; }

    // A random number less than `limit`.
    [[nodiscard]] unsigned dice(unsigned limit) { return static_cast<unsigned>(dice_()) % limit; }

    // Does nothing for up to 3 ms, so that turns overlap in many ways.
    void idle();

    [[nodiscard]] hold acquire(acquirable& lock) const;

    // Claims `part` for a moment. Throws if that breaks the rule.
    void go_inside(const hold& held, std::uint64_t part, const rule& allowed);

    // For kinds with one holder at a time: throws if an earlier holder had a greater fence.
    void check_fence(const hold& held) const;

private:
    arena& all_;
    claim& mine_;
    std::stop_token stop_;
    std::mt19937 dice_{std::random_device{}()};
};

// What one object of a kind works with.
struct setting {
    client& own;
    arena& all;
    unsigned threads;  // of all processes together

    [[nodiscard]] static lock_options options();
};

class kind {
public:
    kind() = default;
    virtual ~kind() = default;
    kind(const kind&) = delete;
    kind& operator=(const kind&) = delete;

    // One turn of a thread. The threads of a process share the object. Throws a std::system_error
    // of pawl with `cancelled` if the test is over, and with `lost` if a lock was lost, which can
    // happen on a busy machine. Anything else that it throws is a failure.
    virtual void turn(worker& by) = 0;

    // A caller of a new process, after the others have ended or were killed. Throws if it does not
    // get in.
    virtual void enter_alone() = 0;
};

using maker = std::function<std::unique_ptr<kind>(const setting& with)>;

[[nodiscard]] std::map<std::string, maker>& kinds();

// Define it at namespace scope.
struct registered_kind {
    registered_kind(const std::string& name, maker make) { kinds().emplace(name, std::move(make)); }
};

}  // namespace pawl::test::kill
