#include "sim/background.h"

#include <utility>

namespace pawl::sim {

using base::boot_time;

sim_scheduler::sim_scheduler(std::shared_ptr<process> where)
    : where_{std::move(where)}, state_{std::make_shared<state>()}
{
}

void sim_scheduler::stop()
{
    state_->stopped = true;
    state_->alarm_handler = nullptr;
    const auto timers = std::exchange(state_->timers, {});
    const auto posted = std::exchange(state_->posted, {});
}

void sim_scheduler::post(task work)
{
    if (state_->stopped) return;
    const auto number = ++last_posted_;
    state_->posted.emplace(number, std::move(work));
    where_->after({}, [state = state_, number] {
        if (const auto mine = state->posted.extract(number)) mine.mapped()();
    });
}

void sim_scheduler::on_alarm(task handler)
{
    state_->alarm_handler = std::move(handler);
}

void sim_scheduler::set_alarm(boot_time when)
{
    const auto mine = ++state_->alarm;
    where_->at(when, [state = state_, mine] {
        if (!state->stopped && state->alarm == mine) state->alarm_handler();
    });
}

sim_scheduler::timer sim_scheduler::call_at(boot_time when, task work)
{
    const timer handle{when, ++last_timer_};
    if (state_->stopped) return handle;
    state_->timers.emplace(handle, std::move(work));
    where_->at(when, [state = state_, handle] {
        if (const auto mine = state->timers.extract(handle)) mine.mapped()();
    });
    return handle;
}

void sim_scheduler::cancel(const timer& handle)
{
    state_->timers.erase(handle);
}

sim_dispatcher::sim_dispatcher(std::shared_ptr<process> where)
    : where_{std::move(where)}, state_{std::make_shared<state>()}
{
}

void sim_dispatcher::post(task work)
{
    if (state_->closed || where_->is_dead()) return;
    state_->tasks.push_back(std::move(work));
    go_on();
}

void sim_dispatcher::prepare()
{
    state_->prepared = true;
    go_on();
}

void sim_dispatcher::go_on()
{
    if (!state_->prepared || state_->tasks.empty()) return;
    if (std::exchange(state_->running, true)) return;
    where_->start_thread([state = state_] { run(state); });
}

void sim_dispatcher::run(const std::shared_ptr<state>& state)
{
    while (!state->tasks.empty()) {
        const auto work = std::move(state->tasks.front());
        state->tasks.pop_front();
        work();
    }
    state->running = false;
    state->drained.set();
}

void sim_dispatcher::close(std::chrono::milliseconds limit)
{
    state_->closed = true;
    if (!state_->running || fiber::current() == nullptr) return;
    state_->drained = {};
    where_->wait(state_->drained, where_->now() + limit);
}

}  // namespace pawl::sim
