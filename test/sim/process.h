// A simulated process with its clock and its threads. It is the platform of a client in it. It can
// be stopped for any time, and can crash at any step.
#pragma once

#include "base/platform.h"
#include "sim/dice.h"
#include "sim/drifting_clock.h"
#include "sim/fiber.h"
#include "sim/world.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pawl::sim {

// An event that a thread waits for.
struct signal {
    bool is_set = false;
    std::function<void()> on_set;

    void set()
    {
        is_set = true;
        if (on_set) on_set();
    }
};

class process final : public base::platform, public std::enable_shared_from_this<process> {
public:
    process(world& world, unsigned number, drifting_clock clock, dice dice);

    // ── Used by the client ──────────────────────────────────────────────────────────────────────

    [[nodiscard]] base::boot_time now() const noexcept override;
    [[nodiscard]] std::chrono::system_clock::time_point wall_time() const noexcept override;
    [[nodiscard]] double random_unit() override { return dice_.unit(); }
    [[nodiscard]] std::string random_id() override;
    [[nodiscard]] std::uint64_t thread_mark() const noexcept override;
    [[nodiscard]] bool pause(base::boot_time until, const base::interrupt* stop) override;

    // ── Used by the simulator ───────────────────────────────────────────────────────────────────

    using action = std::function<void()>;

    void start_thread(action body);

    // Plans an event in the process. It happens later if the process is stopped then, and never if
    // it is dead.
    void after(nanoseconds delay, action what);
    void at(base::boot_time when, action what);

    // Blocks the calling thread until the signal is set, the time has come or the process is dead.
    void wait(signal& what, base::boot_time until);

    void stop_for(nanoseconds duration);
    void go_on();  // before the time of the stop is over
    void crash();

    // Steps the wall clock, which must not affect pawl.
    void step_wall_clock(nanoseconds by) noexcept { wall_step_ += by; }

    // How long a thread is delayed when it could run. No delay by default.
    void delay_threads(std::function<nanoseconds()> how_long)
    {
        thread_delay_ = std::move(how_long);
    }

    [[nodiscard]] bool is_dead() const noexcept { return dead_; }
    [[nodiscard]] bool is_stopped() const noexcept { return stopped_until_ > world_->now(); }
    [[nodiscard]] nanoseconds last_stop_end() const noexcept { return stopped_until_; }
    [[nodiscard]] unsigned number() const noexcept { return number_; }
    [[nodiscard]] nanoseconds true_time_of(base::boot_time when) const noexcept;

    // Draws the id of this process's client.
    [[nodiscard]] const std::string& draw_client();
    // The id that the calling thread drew last, and the holder that the client makes of it.
    [[nodiscard]] const std::string& last_id() const noexcept { return current_->last_id; }
    [[nodiscard]] std::string last_holder() const;
    [[nodiscard]] std::string last_holder_of_many() const;

private:
    struct thread {
        thread(action body, std::uint64_t number) : stack{std::move(body)}, mark{number} {}
        fiber stack;
        std::uint64_t mark;
        std::string last_id;
    };

    void run_or_defer(action what);
    void run(const std::shared_ptr<thread>& which);
    void wake(const std::shared_ptr<thread>& which, std::uint64_t stay);

    world* world_;
    unsigned number_;
    drifting_clock clock_;
    dice dice_;
    std::function<nanoseconds()> thread_delay_;
    nanoseconds wall_step_{0};
    nanoseconds stopped_until_{0};
    std::string client_;
    bool dead_ = false;
    base::boot_time dead_now_{};  // in a dead process, waiting takes no time
    std::vector<action> deferred_;
    std::vector<std::shared_ptr<thread>> threads_;
    std::shared_ptr<thread> current_;
    std::uint64_t last_thread_ = 0;
};

}  // namespace pawl::sim
