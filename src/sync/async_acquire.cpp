#include "sync/async_acquire.h"

#include "sync/async_access.h"
#include "sync/message.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

namespace pawl::sync {

using kind = local_lock::standing::kind;

async_acquire::async_acquire(std::shared_ptr<client_state> client, settings_ptr settings,
                             std::shared_ptr<local_lock> local, time_limit limit,
                             std::unique_ptr<async::acquire_completion> told, std::stop_token stop)
    : client_{std::move(client)},
      settings_{std::move(settings)},
      local_{std::move(local)},
      told_{std::move(told)},
      stop_{std::move(stop)},
      limit_{limit},
      until_{limit.is_never() ? base::boot_time::max() : client_->platform().now() + limit.wait()}
{
}

void async_acquire::start()
{
    if (told_ == nullptr) return;
    if (stop_.stop_requested()) {
        finish(trouble{errc::cancelled, {}});
        return;
    }
    if (stop_.stop_possible()) {
        watch_.emplace(stop_, [this, self = weak_from_this()] {
            client_->loop().post([self] {
                if (const auto here = self.lock()) here->cancel();
            });
        });
    }
    if (local_) {
        stand(local_->arrive(!limit_.is_now(), waker(), release_mode::in_background));
    } else {
        ask(false);
    }
}

void async_acquire::cancel()
{
    if (told_ == nullptr) return;
    if (standing_.what == kind::waits) {
        leave_line({errc::cancelled, {}});
    } else if (!wanted_) {
        finish(trouble{errc::cancelled, {}});  // it has not started
    } else {
        proceed(wanted_->on_cancel());
    }
}

void async_acquire::abandon()
{
    if (told_ == nullptr) return;
    const trouble gone{errc::cancelled, "the client was destroyed"};
    timer_.reset();
    if (standing_.what == kind::waits) {
        leave_line(gone);
    } else if (wanted_) {
        conclude(not_taken{gone});
    } else {
        finish(gone);
    }
}

void async_acquire::stand(local_lock::standing now)
{
    standing_ = std::move(now);
    switch (standing_.what) {
    case kind::has_it: finish(std::move(standing_.granted)); break;
    case kind::busy: finish(trouble{errc::busy, {}}); break;
    case kind::gives_up: finish(std::move(standing_.why)); break;
    case kind::asks:
    case kind::asks_beside: ask(standing_.what == kind::asks_beside); break;
    case kind::waits:
        if (!timer_ && !limit_.is_never()) set_timer(until_, &async_acquire::look);
        break;
    }
}

// It was woken, or its time is over.
void async_acquire::look()
{
    if (told_ == nullptr || standing_.what != kind::waits) return;
    stand(local_->look(standing_.number, waker(), release_mode::in_background));
    if (told_ != nullptr && standing_.what == kind::waits && client_->platform().now() >= until_) {
        leave_line({errc::timed_out, {}});
    }
}

void async_acquire::leave_line(trouble why)
{
    standing_.what = kind::busy;
    local_->leave(standing_.number);
    finish(std::move(why));
}

local_lock::waker async_acquire::waker()
{
    return [this, self = weak_from_this()] {
        const auto here = self.lock();
        if (!here) return;
        client_->loop().post([here] { here->look(); });
    };
}

void async_acquire::ask(bool beside)
{
    clear_timer();
    auto limit = limit_;
    if (!limit.is_never() && !limit.is_now()) {
        // Whose turn it is may ask once, however late it is.
        limit = time_limit::after(std::max<std::chrono::nanoseconds>(
            until_ - client_->platform().now(), std::chrono::nanoseconds{1}));
    }
    taking how;
    how.limit = limit;
    if (local_) how = local_->begin_to_ask(beside, limit);
    reserve_ = how.reserve;
    wanted_ = std::make_unique<acquisition>(*client_, settings_, std::move(how));
    proceed(wanted_->start());
}

void async_acquire::proceed(const core::acquire_step& step)
{
    using what = core::acquire_step::kind;
    ++step_;
    clear_timer();
    if (auto* const place = wanted_->place()) place->wake_no_more();
    switch (step.what) {
    case what::finish: conclude(wanted_->conclude()); return;
    case what::send: send(step); break;
    case what::pause:
    case what::wait: break;
    }
    set_timer(step.until, &async_acquire::on_time);
    if (step.what == what::send || wanted_->place() == nullptr) return;
    auto woken = [self = weak_from_this(), number = step_] {
        const auto here = self.lock();
        if (here && here->awaits(number)) here->on_time();
    };
    if (!wanted_->place()->wake_by(woken)) client_->loop().post(woken);
}

void async_acquire::send(const core::acquire_step& step)
{
    const auto patience =
        std::chrono::ceil<std::chrono::milliseconds>(step.until - client_->platform().now());
    const auto self = shared_from_this();
    client_->submit(
        step.request, patience, [self, number = step_] { return self->awaits(number); },
        [self, number = step_](const core::reply& got) {
            if (!self->awaits(number)) return;
            self->proceed(self->wanted_->on_reply(std::get<core::acquire_reply>(got)));
        });
}

bool async_acquire::awaits(unsigned number) const noexcept
{
    return told_ != nullptr && number == step_;
}

// The time of a step is over; or something is there for it to look at.
void async_acquire::on_time()
{
    proceed(wanted_->on_time());
}

void async_acquire::conclude(taken got)
{
    wanted_.reset();
    if (local_) {
        const bool beside = standing_.what == kind::asks_beside;
        finish(local_->asked(beside, reserve_, std::move(got), release_mode::in_background));
    } else if (auto* const failed = std::get_if<not_taken>(&got)) {
        finish(std::move(failed->why));
    } else {
        finish(std::make_shared<grant>(client_, std::get<core::lease_ptr>(got), nullptr,
                                       release_mode::in_background));
    }
}

void async_acquire::set_timer(base::boot_time until, void (async_acquire::*handler)())
{
    timer_ = client_->loop().call_at(until, [self = shared_from_this(), handler] {
        self->timer_.reset();
        if (self->told_ != nullptr) (self.get()->*handler)();
    });
}

void async_acquire::clear_timer()
{
    if (timer_) client_->loop().cancel(*std::exchange(timer_, std::nullopt));
}

void async_acquire::finish(result got)
{
    clear_timer();
    watch_.reset();
    const auto told = std::exchange(told_, nullptr);
    const auto self = shared_from_this();
    client_->calls().ended(*this);
    if (auto* const granted = std::get_if<std::shared_ptr<grant>>(&got)) {
        told->done(async_access::make(std::move(*granted)), {}, {});
        return;
    }
    const auto& failed = std::get<trouble>(got);
    told->done(
        hold{}, failed.code,
        describe("acquire", settings_->what.name, client_->server(), failed.code, failed.detail));
}

}  // namespace pawl::sync
