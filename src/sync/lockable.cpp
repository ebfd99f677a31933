#include <pawl/error.h>
#include <pawl/fair_mutex.h>
#include <pawl/lockable.h>
#include <pawl/mutex.h>
#include <pawl/recursive_mutex.h>

#include "sync/lock_state.h"
#include "sync/message.h"

#include <utility>

namespace pawl {
namespace {

[[noreturn]] void raise(const sync::lock_state& lock, std::string_view action,
                        const sync::trouble& what)
{
    throw error{what.code, sync::describe(action, lock.name(), lock.client().server(), what.code,
                                          what.detail)};
}

// Codes for which the try_ forms return an empty result and do not throw.
bool is_just_no(errc code)
{
    return code == errc::busy || code == errc::timed_out || code == errc::cancelled;
}

}  // namespace

lockable::lockable(client& client, std::string_view name, const lock_options& options, kind what)
    : state_{std::make_unique<state>(
          client.state_, name, options,
          what == kind::recursive ? core::object_kind::counted : core::object_kind::exclusive,
          what == kind::exclusive_in_order ? sync::fairness::fair : sync::fairness::unfair)}
{
}

lockable::~lockable() = default;

hold lockable::acquire(const std::stop_token& stop)
{
    auto got = state_->acquire(time_limit::never(), stop);
    if (const auto* failed = std::get_if<sync::trouble>(&got)) raise(*state_, "acquire", *failed);
    return hold{std::get<0>(std::move(got))};
}

hold lockable::acquire(std::error_code& ec) noexcept
{
    return acquire({}, ec);
}

hold lockable::acquire(const std::stop_token& stop, std::error_code& ec) noexcept
{
    return try_acquire_within(time_limit::never(), stop, ec).value_or(hold{});
}

std::optional<hold> lockable::try_acquire(const std::stop_token& stop)
{
    return try_acquire_within(time_limit::now(), stop);
}

std::optional<hold> lockable::try_acquire(std::error_code& ec) noexcept
{
    return try_acquire_within(time_limit::now(), {}, ec);
}

std::optional<hold> lockable::try_acquire(const std::stop_token& stop, std::error_code& ec) noexcept
{
    return try_acquire_within(time_limit::now(), stop, ec);
}

std::optional<hold> lockable::try_acquire_within(time_limit limit, const std::stop_token& stop)
{
    auto got = state_->acquire(limit, stop);
    if (const auto* failed = std::get_if<sync::trouble>(&got)) {
        if (is_just_no(failed->code)) return std::nullopt;
        raise(*state_, "acquire", *failed);
    }
    return hold{std::get<0>(std::move(got))};
}

std::optional<hold> lockable::try_acquire_within(time_limit limit, const std::stop_token& stop,
                                                 std::error_code& ec) noexcept
{
    return sync::with_code(ec, [&]() -> std::optional<hold> {
        auto got = state_->acquire(limit, stop);
        if (const auto* failed = std::get_if<sync::trouble>(&got)) {
            ec = failed->code;
            return std::nullopt;
        }
        return hold{std::get<0>(std::move(got))};
    });
}

void lockable::lock()
{
    // Without a time limit it returns false only if this thread would wait for itself.
    if (!try_lock_within(time_limit::never())) raise(*state_, "lock", {errc::would_deadlock, {}});
}

bool lockable::try_lock()
{
    return try_lock_within(time_limit::now());
}

bool lockable::try_lock_within(time_limit limit)
{
    if (!state_->client().inherited() && state_->would_deadlock()) return false;
    auto got = try_acquire_within(limit, {});
    if (got) state_->keep(std::move(*got));
    return got.has_value();
}

void lockable::unlock() noexcept
{
    std::error_code ec;
    unlock(ec);
    if (ec) {
        state_->client().warn("unlock " + sync::in_quotes(name()) + " on " +
                              state_->client().server() + ": " + ec.message());
    }
}

void lockable::unlock(std::error_code& ec) noexcept
{
    if (state_->client().inherited()) {
        ec = errc::wrong_process;
        return;
    }
    const auto mine = state_->take_current();
    if (mine) {
        mine->release(ec);
    } else {
        ec = errc::not_owner;
    }
}

hold* lockable::current() const noexcept
{
    return state_->client().inherited() ? nullptr : state_->current();
}

const std::string& lockable::name() const noexcept
{
    return state_->name();
}

mutex::mutex(client& client, std::string_view name, const lock_options& options)
    : lockable{client, name, options, kind::exclusive}
{
}

mutex::~mutex() = default;

fair_mutex::fair_mutex(client& client, std::string_view name, const lock_options& options)
    : lockable{client, name, options, kind::exclusive_in_order}
{
}

fair_mutex::~fair_mutex() = default;

recursive_mutex::recursive_mutex(client& client, std::string_view name, const lock_options& options)
    : lockable{client, name, options, kind::recursive}
{
}

recursive_mutex::~recursive_mutex() = default;

}  // namespace pawl
