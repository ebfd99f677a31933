#include <pawl/error.h>
#include <pawl/hold.h>

#include "sync/grant.h"
#include "sync/log_records.h"
#include "sync/message.h"

#include <utility>

namespace pawl {
namespace {

const std::string nothing;

[[noreturn]] void raise(std::string_view action, const sync::grant& grant,
                        const sync::trouble& what)
{
    throw error{what.code, sync::describe(action, grant.lease().what->name, grant.client().server(),
                                          what.code, what.detail)};
}

}  // namespace

hold::hold() noexcept = default;

hold::hold(std::shared_ptr<grant> granted) noexcept : grant_{std::move(granted)}, active_{true} {}

hold::hold(hold&& other) noexcept
    : grant_{std::move(other.grant_)}, active_{other.active_.exchange(false)}
{
}

hold& hold::operator=(hold&& other) noexcept
{
    if (this != &other) {
        give_back();
        grant_ = std::move(other.grant_);
        active_ = other.active_.exchange(false);
    }
    return *this;
}

hold::~hold()
{
    give_back();
}

bool hold::is_in() const noexcept
{
    return active_ && !grant_->has_ended();
}

bool hold::end() noexcept
{
    return active_.exchange(false) && grant_->may_end();
}

void hold::give_back() noexcept
{
    if (!end() || grant_->client().inherited()) return;
    const auto complain = [grant = grant_](const sync::maybe_trouble& failed) {
        if (!failed) return;
        grant->client().log(
            sync::release_failed("release", grant->lease(), grant->client().server(), *failed));
    };
    try {
        switch (grant_->how_to_release()) {
        case sync::release_mode::waits: complain(grant_->leave()); break;
        case sync::release_mode::sends: grant_->leave_unheard(complain); break;
        case sync::release_mode::in_background: grant_->leave(complain); break;
        }
    } catch (const std::system_error& e) {
        complain(sync::trouble{errc::unreachable, e.what()});
    }
}

void hold::release()
{
    if (!end()) {
        throw error{errc::not_owner, "release: nothing is held, or it was released already"};
    }
    if (const auto failed = grant_->leave()) raise("release", *grant_, *failed);
}

void hold::release(std::error_code& ec) noexcept
{
    sync::with_code(ec, [&] {
        if (!end()) {
            ec = errc::not_owner;
        } else if (const auto failed = grant_->leave()) {
            ec = failed->code;
        }
    });
}

void hold::extend(std::chrono::milliseconds lease)
{
    if (!is_in()) throw error{errc::not_owner, "extend: nothing is held"};
    if (const auto failed = grant_->extend(lease)) raise("extend", *grant_, *failed);
}

void hold::extend(std::chrono::milliseconds lease, std::error_code& ec) noexcept
{
    sync::with_code(ec, [&] {
        if (!is_in()) {
            ec = errc::not_owner;
        } else if (const auto failed = grant_->extend(lease)) {
            ec = failed->code;
        }
    });
}

void hold::ensure(std::chrono::milliseconds duration)
{
    if (!is_in()) throw error{errc::not_owner, "ensure: nothing is held"};
    if (const auto failed = grant_->ensure(duration)) raise("ensure", *grant_, *failed);
}

void hold::ensure(std::chrono::milliseconds duration, std::error_code& ec) noexcept
{
    sync::with_code(ec, [&] {
        if (!is_in()) {
            ec = errc::not_owner;
        } else if (const auto failed = grant_->ensure(duration)) {
            ec = failed->code;
        }
    });
}

bool hold::beat() noexcept
{
    return is_in() && grant_->beat();
}

bool hold::confirm()
{
    if (!is_in()) return false;
    bool still_ours = false;
    if (const auto failed = grant_->confirm(still_ours)) raise("confirm", *grant_, *failed);
    return still_ours;
}

bool hold::confirm(std::error_code& ec) noexcept
{
    return sync::with_code(ec, [&] {
        bool still_ours = false;
        if (!is_in()) return false;
        if (const auto failed = grant_->confirm(still_ours)) ec = failed->code;
        return still_ours;
    });
}

std::chrono::nanoseconds hold::valid_for() const noexcept
{
    return is_in() ? grant_->valid_for() : std::chrono::nanoseconds{0};
}

std::uint64_t hold::fence() const noexcept
{
    return grant_ ? grant_->fence() : 0;
}

std::stop_token hold::lost() const noexcept
{
    return grant_ ? grant_->lost() : std::stop_token{};
}

hold_state hold::state() const noexcept
{
    return is_in() ? grant_->state() : hold_state::released;
}

cause hold::why() const noexcept
{
    return grant_ ? grant_->why() : cause::none;
}

const std::string& hold::id() const noexcept
{
    return grant_ ? grant_->lease().holder : nothing;
}

const std::string& hold::name() const noexcept
{
    return grant_ ? grant_->lease().what->name : nothing;
}

hold::operator bool() const noexcept
{
    return is_in();
}

}  // namespace pawl
