#include "sync/async_call.h"

#include "base/interrupt.h"

#include <system_error>
#include <utility>
#include <vector>

namespace pawl::sync {

void async_calls::start(std::shared_ptr<async_call> call, call_end how)
{
    bool too_late = false;
    {
        const common::scoped_lock guard{mutex_};
        too_late = abandoned_;
        if (!too_late) {
            call->how_ = how;
            link(*call);
            call->self_ = call;
        }
    }
    if (too_late) {
        call->abandon();
        return;
    }
    auto begin = [this, call = std::move(call)] {
        if (closing_) call->cancel();
        call->start();
    };
    if (how == call_end::unheard) {
        loop_.run_or_post(std::move(begin));
    } else {
        loop_.post(std::move(begin));
    }
}

void async_calls::ended(async_call& call)
{
    std::shared_ptr<async_call> kept;  // until the mutex is free
    const common::scoped_lock guard{mutex_};
    if (call.self_ == nullptr) return;
    kept = std::move(call.self_);
    unlink(call);
    if (first_ == nullptr) all_ended_.request_stop();
}

void async_calls::close(base::boot_time until)
{
    closing_ = true;
    loop_.post([this] { cancel_all(); });
    try {
        while (platform_.now() < until) {
            std::stop_token all_ended;
            {
                const common::scoped_lock guard{mutex_};
                if (first_ == nullptr) return;
                all_ended_ = std::stop_source{};
                all_ended = all_ended_.get_token();
            }
            const base::interrupt woken{all_ended};
            static_cast<void>(platform_.pause(until, &woken));
        }
    } catch (const std::system_error&) {
        // No descriptors are left: then close() does not wait.
    }
}

void async_calls::cancel_all()
{
    std::vector<std::shared_ptr<async_call>> all;
    {
        const common::scoped_lock guard{mutex_};
        for (auto* each = first_; each != nullptr; each = each->after_) all.push_back(each->self_);
    }
    for (const auto& each : all) each->cancel();
}

void async_calls::abandon_all()
{
    while (true) {
        std::shared_ptr<async_call> next;
        {
            const common::scoped_lock guard{mutex_};
            abandoned_ = true;
            if (first_ == nullptr) return;
            next = std::move(first_->self_);
            unlink(*next);
        }
        next->abandon();
    }
}

void async_calls::link(async_call& call)
{
    if (call.how_ == call_end::heard_by_user && heard_by_users_++ == 0) {
        loop_.own_thread_only(true);
    }
    call.after_ = first_;
    if (first_ != nullptr) first_->before_ = &call;
    first_ = &call;
}

void async_calls::unlink(async_call& call)
{
    (call.before_ != nullptr ? call.before_->after_ : first_) = call.after_;
    if (call.after_ != nullptr) call.after_->before_ = call.before_;
    call.before_ = call.after_ = nullptr;
    if (call.how_ == call_end::heard_by_user && --heard_by_users_ == 0) {
        loop_.own_thread_only(false);
    }
}

}  // namespace pawl::sync
