// True time, and the planned events. Everything in a run is an event of this one queue.
#pragma once

#include "sim/dice.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace pawl::sim {

class world {
public:
    using action = std::function<void()>;

    // Since the run began.
    [[nodiscard]] nanoseconds now() const noexcept { return now_; }

    void at(nanoseconds when, action what);
    void after(nanoseconds delay, action what) { at(now_ + delay, std::move(what)); }

    // Executes the next event. False if there is none.
    bool step();

    // The time of the next event. nanoseconds::max() if there is none.
    [[nodiscard]] nanoseconds next() const noexcept
    {
        return queue_.empty() ? nanoseconds::max() : queue_.front().when;
    }

    // Lets time pass, if nothing happens before `when`.
    void skip_to(nanoseconds when) noexcept { now_ = when; }

    [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

private:
    struct event {
        nanoseconds when;
        std::uint64_t number;  // the order of events at the same time
        action what;
    };
    static bool later(const event& a, const event& b) noexcept
    {
        return std::pair{a.when, a.number} > std::pair{b.when, b.number};
    }

    nanoseconds now_{0};
    std::uint64_t planned_ = 0;
    std::uint64_t steps_ = 0;
    std::vector<event> queue_;  // a heap
};

}  // namespace pawl::sim
