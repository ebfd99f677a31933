#include "sim/process.h"

#include "base/mutant.h"
#include "core/object.h"

#include <algorithm>
#include <optional>
#include <stop_token>
#include <system_error>
#include <utility>

namespace pawl::sim {

using base::boot_time;
using namespace std::chrono_literals;

process::process(world& world, unsigned number, drifting_clock clock, dice dice)
    : world_{&world}, number_{number}, clock_{clock}, dice_{dice}
{
}

boot_time process::now() const noexcept
{
    if (dead_) return dead_now_;
    const auto reading = clock_.at(world_->now());
    return boot_time{base::is(base::mutant::d4_wall_clock) ? reading + wall_step_ : reading};
}

std::chrono::system_clock::time_point process::wall_time() const noexcept
{
    return std::chrono::system_clock::time_point{clock_.at(world_->now()) + wall_step_};
}

nanoseconds process::true_time_of(boot_time when) const noexcept
{
    const bool by_wall = base::is(base::mutant::d4_wall_clock);
    return clock_.when(when.time_since_epoch() - (by_wall ? wall_step_ : 0ns));
}

std::string process::random_id()
{
    std::string id(32, '0');
    for (std::size_t i = 0; i < id.size(); i += 16) {
        auto bits = dice_.bits();
        for (std::size_t j = 0; j < 16; ++j, bits >>= 4U)
            id[i + j] = "0123456789abcdef"[bits & 15U];
    }
    if (current_) current_->last_id = id;
    return id;
}

const std::string& process::draw_client()
{
    return client_ = random_id();
}

std::string process::last_holder() const
{
    return core::make_holder(last_id(), core::channel_of(client_));
}

std::string process::last_holder_of_many() const
{
    return core::make_holder_of_many(last_id(), core::channel_of(client_));
}

std::uint64_t process::thread_mark() const noexcept
{
    return current_ ? current_->mark : 0;
}

bool process::pause(boot_time until, const base::interrupt* stop)
{
    // A thread in a dead process must not wait here: it has to end.
    if (dead_) throw std::system_error{std::make_error_code(std::errc::no_such_process)};
    const auto token = stop != nullptr ? stop->token() : std::stop_token{};
    signal stopped;
    const std::stop_callback watch{token, [&] { stopped.set(); }};
    wait(stopped, until);
    return !stopped.is_set;
}

void process::start_thread(action body)
{
    const auto self = shared_from_this();
    const auto fresh = std::make_shared<thread>(std::move(body), ++last_thread_);
    threads_.push_back(fresh);
    after(nanoseconds{0}, [self, fresh] { self->run(fresh); });
}

void process::run(const std::shared_ptr<thread>& which)
{
    const auto before = std::exchange(current_, which);
    which->stack.resume();
    current_ = before;
    if (which->stack.has_ended()) std::erase(threads_, which);
}

void process::after(nanoseconds delay, action what)
{
    world_->after(delay, [self = shared_from_this(), what = std::move(what)]() mutable {
        self->run_or_defer(std::move(what));
    });
}

void process::at(boot_time when, action what)
{
    if (when == boot_time::max()) return;
    after(std::max(true_time_of(when) - world_->now(), nanoseconds{0}), std::move(what));
}

void process::run_or_defer(action what)
{
    if (dead_) return;
    if (is_stopped()) {
        deferred_.push_back(std::move(what));
    } else {
        what();
    }
}

void process::wait(signal& what, boot_time until)
{
    if (dead_) {
        if (until != boot_time::max()) dead_now_ = std::max(dead_now_, until);
        return;
    }
    if (what.is_set || until <= now()) return;
    const auto me = current_;
    const auto stay = me->stack.stay();
    what.on_set = [this, me, stay] { wake(me, stay); };
    at(until, [this, me, stay] { wake(me, stay); });
    me->stack.park();
    what.on_set = nullptr;
}

void process::wake(const std::shared_ptr<thread>& which, std::uint64_t stay)
{
    after(thread_delay_ ? thread_delay_() : nanoseconds{0}, [this, which, stay] {
        if (!which->stack.has_ended() && which->stack.stay() == stay) run(which);
    });
}

void process::stop_for(nanoseconds duration)
{
    const auto until = world_->now() + duration;
    if (until <= stopped_until_) return;
    stopped_until_ = until;
    world_->at(until, [self = shared_from_this()] {
        if (!self->is_stopped()) self->go_on();
    });
}

void process::go_on()
{
    stopped_until_ = std::min(stopped_until_, world_->now());
    for (auto& each : std::exchange(deferred_, {})) after({}, std::move(each));
}

void process::crash()
{
    // Its threads run to their ends in no time and without effect, so that nothing leaks.
    dead_now_ = now();
    dead_ = true;
    deferred_.clear();
    while (!threads_.empty()) run(threads_.front());
}

}  // namespace pawl::sim
