#include <pawl/async.h>
#include <pawl/detail/async_result.h>
#include <pawl/error.h>
#include <pawl/once_per.h>

#include "core/exchange.h"
#include "core/object.h"
#include "core/request.h"
#include "sync/async_access.h"
#include "sync/client_access.h"
#include "sync/lock_settings.h"
#include "sync/message.h"
#include "sync/once_state.h"
#include "sync/trouble.h"

#include <memory>
#include <system_error>
#include <utility>
#include <variant>

namespace pawl {
namespace {

std::optional<once_per::turn> turn_of(sync::grant_ptr granted)
{
    return detail::turn_access::make(async_access::make(std::move(granted)));
}

using due_result = std::variant<std::chrono::milliseconds, sync::trouble>;

due_result result_of(const core::due_reply& got)
{
    if (const auto* const failed = std::get_if<core::failure>(&got)) {
        return sync::trouble_of(*failed);
    }
    const auto* const due = std::get_if<core::due>(&got);
    if (due == nullptr || !due->in) {
        return sync::trouble{errc::not_a_lock, "its mark has no expiry"};
    }
    return *due->in;
}

}  // namespace

once_per::once_per(client& client, std::string_view name, std::chrono::milliseconds period,
                   const once_options& options, const lock_options& lock)
    : state_{std::make_unique<state>(client_access::share(client),
                                     sync::settle({.name = std::string{name},
                                                   .kind = core::object_kind::once,
                                                   .period = period,
                                                   .aligned = options.aligned,
                                                   .retries = options.retry_failed},
                                                  lock, sync::fairness::unfair))}
{
}

once_per::~once_per() = default;

std::optional<once_per::turn> once_per::try_begin(const std::stop_token& stop)
{
    auto got = state_->acquire(time_limit::now(), stop);
    if (const auto* const failed = std::get_if<sync::trouble>(&got)) {
        if (detail::is_just_no(failed->code)) return std::nullopt;
        state_->raise(*failed);
    }
    return turn_of(std::get<sync::grant_ptr>(std::move(got)));
}

std::optional<once_per::turn> once_per::try_begin(std::error_code& ec) noexcept
{
    return try_begin({}, ec);
}

std::optional<once_per::turn> once_per::try_begin(const std::stop_token& stop,
                                                  std::error_code& ec) noexcept
{
    return sync::with_code(ec, [&]() -> std::optional<turn> {
        auto got = state_->acquire(time_limit::now(), stop);
        if (const auto* const failed = std::get_if<sync::trouble>(&got)) {
            ec = failed->code;
            return std::nullopt;
        }
        return turn_of(std::get<sync::grant_ptr>(std::move(got)));
    });
}

std::chrono::milliseconds once_per::due_in()
{
    auto& client = state_->client();
    if (client.inherited()) state_->raise("due_in", {errc::wrong_process, {}});
    const auto got =
        result_of(client.ask(core::due_request{.what = &state_->settings()->what}).what);
    if (const auto* const left = std::get_if<std::chrono::milliseconds>(&got)) return *left;
    const auto* const failed = std::get_if<sync::trouble>(&got);
    state_->raise("due_in", failed != nullptr ? *failed : sync::trouble{});
}

std::chrono::milliseconds once_per::due_in(std::error_code& ec) noexcept
{
    return sync::with_code(ec, [&] { return due_in(); });
}

const std::string& once_per::name() const noexcept
{
    return state_->name();
}

std::chrono::milliseconds once_per::period() const noexcept
{
    return state_->settings()->what.period;
}

void once_per::turn::done()
{
    if (const auto mine = async_access::look_at(held_)) mine->use_up_period();
    held_.release();
}

void once_per::turn::done(std::error_code& ec) noexcept
{
    if (const auto mine = async_access::look_at(held_)) mine->use_up_period();
    held_.release(ec);
}

void async::due_in(once_per& what,
                   std::unique_ptr<value_completion<std::chrono::milliseconds>> told)
{
    const auto& state = async_access::state(what);
    auto& client = state.client();
    if (client.inherited()) state.raise("due_in", {errc::wrong_process, {}});
    if (const auto failed = client.prepare()) state.raise("due_in", *failed);
    const auto& settings = state.settings();
    auto machine = std::make_unique<core::exchange_machine>(
        core::due_request{.what = &settings->what}, client.options().command_limit, client.random(),
        settings);
    client.start(std::move(machine),
                 [&client, settings, told = std::move(told)](const core::exchange_machine& over) {
                     const auto got = result_of(std::get<core::due_reply>(over.result()));
                     if (const auto* const failed = std::get_if<sync::trouble>(&got)) {
                         told->done({}, failed->code,
                                    sync::describe("due_in", settings->what.name, client.server(),
                                                   failed->code, failed->detail));
                     } else {
                         told->done(std::get<std::chrono::milliseconds>(got), {}, {});
                     }
                 });
}

}  // namespace pawl
