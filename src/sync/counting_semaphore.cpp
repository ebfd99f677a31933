#include <pawl/async.h>
#include <pawl/counting_semaphore.h>
#include <pawl/error.h>

#include "base/clock.h"
#include "common/mutex.h"
#include "core/exchange.h"
#include "core/machine.h"
#include "core/object.h"
#include "core/resize.h"
#include "sync/async_access.h"
#include "sync/client_access.h"
#include "sync/lock_settings.h"
#include "sync/lock_state.h"
#include "sync/message.h"
#include "sync/trouble.h"
#include "sync/validate.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

namespace pawl {
namespace {

constexpr std::string_view resize_call = "resize";

// Acquires several permits.
class amount final : public acquirable {
public:
    amount(std::shared_ptr<sync::client_state> client, sync::settings_ptr settings)
        : acquirable{std::make_unique<state>(std::move(client), std::move(settings))}
    {
    }
};

// All amounts of one semaphore that were asked for.
class amount_table : public std::enable_shared_from_this<amount_table> {
public:
    amount_table(std::shared_ptr<sync::client_state> client, core::object what,
                 const lock_options& options)
        : client_{std::move(client)},
          what_{std::move(what)},
          options_{options},
          most_{what_.capacity}
    {
    }

    // The settings always have the capacity that the user gave. If they had that of a resize, and the server
    // had forgotten it, two amounts of one semaphore could disagree.
    [[nodiscard]] sync::settings_ptr settings(unsigned permits) const
    {
        auto what = what_;
        what.permits = permits;
        return sync::settle(std::move(what), options_, sync::fairness::fair);
    }

    [[nodiscard]] acquirable& of(unsigned permits);
    [[nodiscard]] sync::maybe_trouble resize(unsigned capacity);
    // The same without waiting, as <pawl/async.h> says. Throws pawl::error.
    void resize(unsigned capacity, std::unique_ptr<async::completion> told);
    [[noreturn]] void raise(std::string_view action, const sync::trouble& why) const;

    [[nodiscard]] const std::shared_ptr<sync::client_state>& client() const { return client_; }
    [[nodiscard]] unsigned capacity() const noexcept { return what_.capacity; }
    [[nodiscard]] unsigned most() const noexcept { return most_; }

private:
    [[nodiscard]] std::shared_ptr<const core::object> shared_object() const;
    [[nodiscard]] sync::maybe_trouble resized(unsigned capacity, const core::resize_machine& over);
    [[nodiscard]] std::string message(std::string_view action, const sync::trouble& why) const;

    std::shared_ptr<sync::client_state> client_;
    core::object what_;
    lock_options options_;
    std::atomic<unsigned> most_;  // the greatest capacity that this object knows of

    common::mutex mutex_;
    std::map<unsigned, amount> all_ PAWL_GUARDED_BY(mutex_);
};

acquirable& amount_table::of(unsigned permits)
{
    const common::scoped_lock guard{mutex_};
    const auto found = all_.find(permits);
    if (found != all_.end()) return found->second;
    return all_.try_emplace(permits, client_, settings(permits)).first->second;
}

sync::maybe_trouble amount_table::resize(unsigned capacity)
{
    sync::validate_capacity(capacity);
    if (client_->inherited()) return sync::trouble{errc::wrong_process, {}};
    core::resize_machine machine{shared_object(), capacity, client_->options().command_limit,
                                 client_->random()};
    try {
        client_->driver().run(machine, nullptr);
    } catch (const std::system_error& e) {
        // No descriptors are left, for example. That may pass, like a broken connection.
        machine.fail(e.what());
    }
    return resized(capacity, machine);
}

void amount_table::resize(unsigned capacity, std::unique_ptr<async::completion> told)
{
    sync::validate_capacity(capacity);
    if (client_->inherited()) raise(resize_call, {errc::wrong_process, {}});
    client_->start(
        std::make_unique<core::resize_machine>(shared_object(), capacity,
                                               client_->options().command_limit, client_->random()),
        [self = shared_from_this(), capacity,
         told = std::move(told)](const core::resize_machine& over) {
            const auto failed = self->resized(capacity, over);
            if (failed) {
                told->done(failed->code, self->message(resize_call, *failed));
            } else {
                told->done({}, {});
            }
        });
}

// Not shared_from_this(): a late answer may keep the machine for as long as the client exists, and the table would
// keep the client.
std::shared_ptr<const core::object> amount_table::shared_object() const
{
    return std::make_shared<const core::object>(what_);
}

sync::maybe_trouble amount_table::resized(unsigned capacity, const core::resize_machine& over)
{
    if (const auto failed = over.problem()) return trouble_of(*failed);
    auto before = most_.load();
    while (before < capacity && !most_.compare_exchange_weak(before, capacity)) {
    }
    return std::nullopt;
}

void amount_table::raise(std::string_view action, const sync::trouble& why) const
{
    throw error{why.code, message(action, why)};
}

std::string amount_table::message(std::string_view action, const sync::trouble& why) const
{
    return sync::describe(action, what_.name, client_->server(), why.code, why.detail);
}

}  // namespace

class counting_semaphore::amounts final : public amount_table {
public:
    using amount_table::amount_table;
};

counting_semaphore::counting_semaphore(client& client, std::string_view name, unsigned capacity,
                                       const lock_options& options)
    : counting_semaphore{std::make_shared<amounts>(
          client_access::share(client),
          core::object{
              .name = std::string{name}, .kind = core::object_kind::permits, .capacity = capacity},
          options)}
{
}

counting_semaphore::counting_semaphore(std::shared_ptr<amounts> made)
    : acquirable{std::make_unique<state>(made->client(), made->settings(1))},
      amounts_{std::move(made)}
{
}

counting_semaphore::~counting_semaphore() = default;

acquirable& counting_semaphore::permits(unsigned n)
{
    sync::validate_permits(n, amounts_->most());
    // In a child process, a thread of the parent may have locked the mutex of the amounts.
    if (amounts_->client()->inherited()) {
        amounts_->raise("permits", {errc::wrong_process, {}});
    }
    return n == 1 ? *this : amounts_->of(n);
}

acquirable* counting_semaphore::permits(unsigned n, std::error_code& ec) noexcept
{
    return sync::with_code(ec, [&] { return &permits(n); });
}

unsigned counting_semaphore::capacity() const noexcept
{
    return amounts_->capacity();
}

void counting_semaphore::resize(unsigned capacity)
{
    if (const auto failed = amounts_->resize(capacity)) amounts_->raise(resize_call, *failed);
}

void counting_semaphore::resize(unsigned capacity, std::error_code& ec) noexcept
{
    sync::with_code(ec, [&] {
        if (const auto failed = amounts_->resize(capacity)) ec = failed->code;
    });
}

void async::resize(counting_semaphore& what, unsigned capacity, std::unique_ptr<completion> told)
{
    async_access::amounts(what).resize(capacity, std::move(told));
}

}  // namespace pawl
