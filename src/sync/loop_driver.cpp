#include "sync/loop_driver.h"

#include <chrono>
#include <utility>

namespace pawl::sync {

loop_driver::loop_driver(const client_parts& client, std::unique_ptr<core::machine> what,
                         done_handler done)
    : client_{client}, machine_{std::move(what)}, done_{std::move(done)}
{
}

loop_driver::loop_driver(const client_parts& client, std::unique_ptr<call> what,
                         std::stop_token stop, done_handler done)
    : client_{client}, waiting_{what.get()}, stop_{std::move(stop)}, done_{std::move(done)}
{
    machine_ = std::move(what);
}

void loop_driver::start()
{
    if (done_ == nullptr) return;
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
    if (done_ == nullptr || waiting_ == nullptr) return;
    proceed(machine_->on_cancel(client_.platform.now(), {}));
}

void loop_driver::abandon()
{
    if (done_ == nullptr) return;
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
            if (self->done_ != nullptr) self->on_time();
        });
    }
    step.what == kind::send ? send(step) : wait_for_bell();
}

void loop_driver::send(const core::step& step)
{
    const auto patience =
        std::chrono::ceil<std::chrono::milliseconds>(step.until - client_.platform.now());
    auto awaited = [self = shared_from_this(), number = step_] {
        return self->done_ != nullptr && number == self->step_;
    };
    client_.store->submit(
        step.request, patience, awaited,
        [self = shared_from_this(), awaited](const core::reply& got) {
            if (!awaited()) return;
            self->proceed(self->machine_->on_reply(got, self->client_.platform.now()));
        });
}

void loop_driver::wait_for_bell()
{
    const auto woken_by = waiting_ != nullptr ? waiting_->woken_by() : nullptr;
    if (!woken_by) return;
    auto look = [self = weak_from_this(), number = step_] {
        const auto here = self.lock();
        if (here && here->done_ != nullptr && number == here->step_) here->on_time();
    };
    if (!woken_by->on_ring([&loop = client_.loop, look] { loop.post(look); })) {
        client_.loop.post(look);
    }
}

void loop_driver::on_time()
{
    const auto woken_by = waiting_ != nullptr ? waiting_->woken_by() : nullptr;
    if (woken_by) woken_by->silence();
    proceed(machine_->on_time(client_.platform.now()));
}

void loop_driver::finish()
{
    watch_.reset();
    const auto self = shared_from_this();
    std::exchange(done_, nullptr)(*this);
}

}  // namespace pawl::sync
