// What a client takes from the machine that it runs on: time, chance, and the calling thread.
//
// There are three: the real one below, the one of the memory: store, whose clock a test can move, and
// the simulator's, where every thread, clock and die is its own.
#pragma once

#include "base/clock.h"
#include "base/interrupt.h"

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

    // Never steps, and goes on while the machine is suspended.
    [[nodiscard]] virtual boot_time now() const noexcept = 0;

    // A number in [0, 1), for jitter.
    [[nodiscard]] virtual double random_unit() = 0;

    // 128 bits as 32 hexadecimal digits. Nobody can guess one from others, and no two are alike.
    [[nodiscard]] virtual std::string random_id() = 0;

    // Tells the calling thread from all others, also from those that have ended.
    [[nodiscard]] virtual std::uint64_t thread_mark() const noexcept = 0;

    // The calling thread waits. False if `stop`, which may be null, was requested first.
    [[nodiscard]] virtual bool pause(boot_time until, const interrupt* stop) = 0;

    // The same for many who wait at once: none of them takes a descriptor.
    [[nodiscard]] virtual bool sleep(boot_time until, const std::stop_token& woken)
    {
        const interrupt stop{woken};
        return pause(until, &stop);
    }

    // A call of the user's begins and ends in the calling thread; calls may lie within one another.
    // Nobody need care but who wants to know whether everyone waits.
    virtual void call_begins() {}
    virtual void call_ends() noexcept {}
};

// From its making to its end a call is under way in this thread.
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
    [[nodiscard]] double random_unit() override;
    [[nodiscard]] std::string random_id() override;
    [[nodiscard]] std::uint64_t thread_mark() const noexcept override;
    [[nodiscard]] bool pause(boot_time until, const interrupt* stop) override;
    [[nodiscard]] bool sleep(boot_time until, const std::stop_token& woken) override;
};

}  // namespace pawl::base
