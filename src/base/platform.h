// What a client needs from the machine that it runs on: time, randomness, and the calling thread.
//
// There are three: the real one below, the one of the memory: store, whose clock a test can move,
// and the one of the simulator, which controls threads, clocks and random numbers.
#pragma once

#include "base/clock.h"
#include "base/interrupt.h"

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>

namespace pawl::base {

class platform {
public:
    platform() = default;
    virtual ~platform() = default;
    platform(const platform&) = delete;
    platform& operator=(const platform&) = delete;

    // Never steps, and also runs while the machine is suspended.
    [[nodiscard]] virtual boot_time now() const noexcept = 0;

    // The wall clock. It may step, so it is only for times that other programs are told.
    [[nodiscard]] virtual std::chrono::system_clock::time_point wall_time() const noexcept = 0;

    // A number in [0, 1), for jitter.
    [[nodiscard]] virtual double random_unit() = 0;

    // 128 bits as 32 hexadecimal digits. They cannot be guessed from others, and are never
    // repeated.
    [[nodiscard]] virtual std::string random_id() = 0;

    // Differs for all threads, also from those that have ended.
    [[nodiscard]] virtual std::uint64_t thread_mark() const noexcept = 0;

    // Blocks the calling thread. False if a stop was requested first. `stop` may be null.
    [[nodiscard]] virtual bool pause(boot_time until, const interrupt* stop) = 0;

    // The same without a descriptor, for many waiters at a time.
    [[nodiscard]] virtual bool sleep(boot_time until, const std::stop_token& woken)
    {
        const interrupt stop{woken};
        return pause(until, &stop);
    }

    // Mark the begin and the end of a user's call in the calling thread. Calls may be nested. Only
    // a platform that must know whether all threads wait needs them.
    virtual void call_begins() {}
    virtual void call_ends() noexcept {}
};

// A call is under way in this thread while this object exists.
class call_under_way {
public:
    explicit call_under_way(platform& where) : where_{&where} { where_->call_begins(); }
    ~call_under_way() { where_->call_ends(); }
    call_under_way(const call_under_way&) = delete;
    call_under_way& operator=(const call_under_way&) = delete;

private:
    platform* where_;
};

class system_platform final : public platform {
public:
    [[nodiscard]] boot_time now() const noexcept override { return boot_clock::now(); }
    [[nodiscard]] std::chrono::system_clock::time_point wall_time() const noexcept override
    {
        return std::chrono::system_clock::now();
    }
    [[nodiscard]] double random_unit() override;
    [[nodiscard]] std::string random_id() override;
    [[nodiscard]] std::uint64_t thread_mark() const noexcept override;
    [[nodiscard]] bool pause(boot_time until, const interrupt* stop) override;
    [[nodiscard]] bool sleep(boot_time until, const std::stop_token& woken) override;
};

}  // namespace pawl::base
