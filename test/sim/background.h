// A client's background threads, in a simulated process.
#pragma once

#include "base/scheduler.h"
#include "observe/dispatcher.h"
#include "sim/process.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>

namespace pawl::sim {

class sim_scheduler final : public base::scheduler {
public:
    explicit sim_scheduler(std::shared_ptr<process> where);

    void start() override {}
    void stop() override;
    void post(task work) override;
    void set_alarm(base::boot_time when) override;
    void on_alarm(task handler) override;
    timer call_at(base::boot_time when, task work) override;
    void cancel(const timer& handle) override;

private:
    // The planned events keep this alive longer than the scheduler. They do not own the tasks: what is left of those is
    // destroyed by stop(), because a task may use what is destroyed soon after.
    struct state {
        bool stopped = false;
        std::uint64_t alarm = 0;  // how often it was set
        task alarm_handler;
        std::map<timer, task> timers;
        std::map<std::uint64_t, task> posted;
    };

    std::shared_ptr<process> where_;
    std::shared_ptr<state> state_;
    std::uint64_t last_timer_ = 0;
    std::uint64_t last_posted_ = 0;
};

// For a world in which a thread can only be started before it is needed.
class sim_dispatcher final : public observe::dispatcher {
public:
    explicit sim_dispatcher(std::shared_ptr<process> where);
    ~sim_dispatcher() override { state_->closed = true; }
    sim_dispatcher(const sim_dispatcher&) = delete;
    sim_dispatcher& operator=(const sim_dispatcher&) = delete;

    void prepare() override;
    void post(task work) override;
    void close(std::chrono::milliseconds limit) override;

private:
    struct state {
        bool closed = false;
        bool prepared = false;
        bool running = false;
        std::deque<task> tasks;
        signal drained;
    };
    void go_on();
    static void run(const std::shared_ptr<state>& state);

    std::shared_ptr<process> where_;
    std::shared_ptr<state> state_;
};

}  // namespace pawl::sim
