#include "sync/departure.h"

#include <string>
#include <utility>
#include <variant>

namespace pawl::sync {

using base::boot_time;

departure::departure(client_state& client, std::shared_ptr<local_lock> lock, core::lease_ptr lease,
                     boot_time held)
    : client_{&client}, lock_{std::move(lock)}, lease_{std::move(lease)}
{
    using kind = core::local_sharing::ending::kind;
    const auto next = lock_->release(lease_, held);
    switch (next.what) {
    case kind::done: break;
    case kind::lost:
        client_->leases().notice_time(lease_);
        outcome_ = lost_because(lease_->why);
        break;
    case kind::keep: ask(next.request); break;
    case kind::give_back: release(); break;
    }
}

void departure::release()
{
    auto& leases = client_->leases();
    if (leases.end(lease_)) {
        ask(lease_->release());
        return;
    }
    // It was lost. The holder does not work under it any more, so what may be left of it at the server
    // can go.
    leases.give_back(lease_, lease_->wanted_until);
    outcome_ = lost_because(lease_->why);
}

void departure::ask(const core::exchange_request& what)
{
    exchange_.emplace(what, client_->options().command_limit, client_->random());
}

core::step departure::start(boot_time now)
{
    if (!exchange_) return {.what = core::step::kind::finish};
    return checked(exchange_->start(now));
}

core::step departure::on_reply(const core::reply& got, boot_time now)
{
    return checked(exchange_->on_reply(got, now));
}

core::step departure::on_time(boot_time now)
{
    return checked(exchange_->on_time(now));
}

core::step departure::on_cancel(boot_time now, std::string_view why)
{
    if (!exchange_) return {.what = core::step::kind::finish};
    return checked(exchange_->on_cancel(now, why));
}

core::step departure::checked(core::step step)
{
    if (step.what == core::step::kind::finish) settle(exchange_->result(), exchange_->sent());
    return step;
}

void departure::fail(const std::string& why)
{
    const core::failure none{.what = core::failure_kind::unreachable, .detail = why};
    settle(core::failed(exchange_->asked(), none), boot_time{});
}

void departure::settle(const core::reply& got, boot_time sent)
{
    if (const auto* const keeping = std::get_if<core::keep_reply>(&got)) {
        kept(*keeping, sent);
    } else {
        released(std::get<core::hold_reply>(got));
    }
}

void departure::kept(const core::keep_reply& got, boot_time sent)
{
    lock_->kept(lease_, got, sent);
    if (const auto* const problem = std::get_if<core::failure>(&got)) {
        outcome_ = trouble_of(*problem);
    } else if (const auto* const status = std::get_if<core::hold_status>(&got)) {
        outcome_ = lost_because(core::cause_of(*status));
    }
}

void departure::released(const core::hold_reply& got)
{
    const auto* const problem = std::get_if<core::failure>(&got);
    const bool answered = problem == nullptr || core::is_answer(problem->what);
    // The server has noted whether the run counts. If a begin arrives after that, its caller knows nothing of it.
    if (problem == nullptr) lease_->used_up = false;
    // core/give_back.h says why a lock whose acquire was repeated is always released twice.
    if (lease_->was_repeated() || !answered) {
        client_->leases().give_back(lease_, lease_->wanted_until, core::giving::again);
    }
    if (problem != nullptr) {
        outcome_ = trouble_of(*problem);
        return;
    }
    const auto status = std::get<core::hold_status>(got);
    if (status == core::hold_status::done) return;
    lease_->why = core::cause_of(status);
    outcome_ = lost_because(lease_->why);
}

void depart_unnoticed(client_state& client, const std::shared_ptr<local_lock>& lock,
                      const core::lease_ptr& lease) noexcept
{
    try {
        client.start(std::make_unique<departure>(client, lock, lease, client.platform().now()),
                     [](const departure& /*over*/) {});
    } catch (...) {
        // There is no memory for that either. The lock is held until this process ends.
    }
}

}  // namespace pawl::sync
