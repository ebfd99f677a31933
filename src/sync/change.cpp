#include "sync/change.h"

#include <system_error>
#include <utility>

namespace pawl::sync {

using base::boot_time;

change::change(grant_ptr mine) : mine_{std::move(mine)}
{
    auto failed = mine_->begin_change();
    if (!failed) return;
    if (failed->code == errc::busy) {
        result_ = false;
    } else {
        result_ = std::move(*failed);
    }
}

change::~change()
{
    // There was no memory to run it to its end, and the request may have been sent.
    if (!result_) mine_->perhaps_changed();
}

core::machine& change::current()
{
    return asking_ ? static_cast<core::machine&>(*asking_) : request();
}

core::step change::start(boot_time now)
{
    if (result_) return finish(*result_);
    return checked(request().start(now), now);
}

core::step change::on_reply(const core::reply& got, boot_time now)
{
    return checked(current().on_reply(got, now), now);
}

core::step change::on_time(boot_time now)
{
    return checked(current().on_time(now), now);
}

core::step change::on_cancel(boot_time now, std::string_view why)
{
    if (result_) return finish(*result_);
    cancelled_ = true;
    return checked(current().on_cancel(now, why), now);
}

void change::fail(std::string why)
{
    static_cast<void>(finish(perhaps_changed(std::move(why))));
}

core::step change::checked(core::step step, boot_time now)
{
    if (step.what != core::step::kind::finish) return step;
    return asking_ ? settle_error() : settle(judge(), now);
}

core::step change::settle(const verdict& got, boot_time now)
{
    using kind = verdict::kind;
    switch (got.what) {
    case kind::changed: mine_->changed(); return finish(true);
    case kind::declined: mine_->not_changed(); return finish(false);
    case kind::gone: mine_->not_found(got.found); return finish(lost_because(mine_->why()));
    case kind::error: return ask_whether_in(got.why, now);
    case kind::unanswered: break;
    }
    if (got.maybe_executed || cancelled_) {
        return finish(perhaps_changed("the server may yet execute the request"));
    }
    mine_->not_changed();
    return finish(got.why);
}

core::step change::ask_whether_in(trouble why, boot_time now)
{
    error_ = std::move(why);
    const auto& lease = mine_->share_lease();
    asking_.emplace(core::check_request{lease->mine()}, mine_->client().options().command_limit,
                    mine_->client().random(), lease);
    return asking_->start(now);
}

core::step change::settle_error()
{
    const auto& got = std::get<core::hold_reply>(asking_->result());
    const auto* const status = std::get_if<core::hold_status>(&got);
    if (status == nullptr) return finish(perhaps_changed(error_.detail));
    if (*status != core::hold_status::done) {
        mine_->not_found(*status);
        return finish(lost_because(mine_->why()));
    }
    mine_->not_changed();
    return finish(error_);
}

change::result change::perhaps_changed(std::string detail)
{
    mine_->perhaps_changed();
    if (cancelled_) return trouble{errc::cancelled, std::string{core::client_destroyed}};
    return trouble{errc::unreachable, std::move(detail)};
}

core::step change::finish(result got)
{
    result_ = std::move(got);
    mine_.reset();
    return {.what = core::step::kind::finish};
}

void run(client_state& client, change& what)
{
    try {
        client.driver().run(what, nullptr);
    } catch (const std::system_error& e) {
        what.fail(e.what());
    }
}

}  // namespace pawl::sync
