#include "sync/loop_driver.h"

#include <chrono>
#include <utility>

namespace pawl::sync {

loop_driver::loop_driver(const client_parts& client, std::unique_ptr<core::machine> what)
    : client_{client}, machine_{std::move(what)}
{
}

loop_driver::loop_driver(const client_parts& client, std::unique_ptr<call> what,
                         std::stop_token stop)
    : client_{client}, stop_{std::move(stop)}, can_cancel_{true}
{
    what->use(*this);
    machine_ = std::move(what);
}

void loop_driver::start()
{
    if (ended_) return;
    if (stop_.stop_requested()) {
        cancel();
        return;
    }
    if (stop_.stop_possible()) watch_for_stop();
    proceed(machine_->start(client_.platform.now()));
}

void loop_driver::watch_for_stop()
{
    watch_ = std::make_unique<std::stop_callback<std::function<void()>>>(
        stop_, [this, self = weak_from_this()] {
            client_.loop.post([self] {
                if (const auto here = self.lock()) here->cancel();
            });
        });
}

void loop_driver::cancel()
{
    if (ended_ || !can_cancel_) return;
    proceed(machine_->on_cancel(client_.platform.now(), {}));
}

void loop_driver::abandon()
{
    if (ended_) return;
    timer_.reset();  // the loop is gone
    static_cast<void>(machine_->on_cancel(client_.platform.now(), core::client_destroyed));
    finish();
}

void loop_driver::proceed(const core::step& step)
{
    using kind = core::step::kind;
    ++step_;
    if (timer_) client_.loop.cancel(*std::exchange(timer_, std::nullopt));
    if (step.what == kind::finish) {
        finish();
        return;
    }
    if (step.until != base::boot_time::max()) {
        timer_ = client_.loop.call_at(step.until, [self = shared_from_this()] {
            self->timer_.reset();
            if (!self->ended_) self->on_time();
        });
    }
    waits_ = step.what != kind::send;
    if (!waits_) {
        send(step);
    } else if (rung_) {
        look_soon();
    }
}

void loop_driver::send(const core::step& step)
{
    const auto patience =
        std::chrono::ceil<std::chrono::milliseconds>(step.until - client_.platform.now());
    auto awaited = [self = shared_from_this(), number = step_] {
        return !self->ended_ && number == self->step_;
    };
    client_.store->submit(
        step.request, patience, awaited,
        [self = shared_from_this(), awaited](const core::reply& got) {
            if (!awaited()) return;
            self->proceed(self->machine_->on_reply(got, self->client_.platform.now()));
        });
}

std::weak_ptr<bell> loop_driver::new_bell()
{
    rung_ = false;
    return weak_from_this();
}

void loop_driver::ring()
{
    if (!rung_.exchange(true)) look_soon();
}

// If the machine does not wait when this runs, the next step that waits calls it again.
void loop_driver::look_soon()
{
    client_.loop.post([self = weak_from_this()] {
        const auto here = self.lock();
        if (here && !here->ended_ && here->waits_ && here->rung_) here->on_time();
    });
}

void loop_driver::on_time()
{
    rung_ = false;  // before the machine looks: a ring from now on needs another look
    proceed(machine_->on_time(client_.platform.now()));
}

void loop_driver::finish()
{
    watch_.reset();
    ended_ = true;
    const auto self = shared_from_this();
    tell();
}

}  // namespace pawl::sync
