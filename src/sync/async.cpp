#include <pawl/async.h>
#include <pawl/error.h>

#include "sync/async_access.h"
#include "sync/condition_state.h"
#include "sync/log_records.h"
#include "sync/message.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace pawl::async {
namespace {

void refuse_child(const sync::client_state& client, std::string_view action, std::string_view name)
{
    if (!client.inherited()) return;
    throw error{errc::wrong_process,
                sync::describe(action, name, client.server(), errc::wrong_process, {})};
}

// Returns `held`, the grant of a hold. Throws if the hold is empty, or in a child process after fork().
sync::grant_ptr checked(sync::grant_ptr held, std::string_view action)
{
    if (!held) throw error{errc::not_owner, std::string{action} + ": nothing is held"};
    refuse_child(held->client(), action, held->lease().what->name);
    return held;
}

sync::grant::result_handler telling(const sync::grant_ptr& held, std::string_view action,
                                    std::unique_ptr<completion> told)
{
    // `told` is in a shared_ptr because a std::function must be copyable.
    return
        [held = held.get(), keep = held, action,
         told = std::shared_ptr<completion>{std::move(told)}](const sync::maybe_trouble& failed) {
            if (!told) {
                if (failed) {
                    held->client().log(sync::release_failed(action, held->lease(),
                                                            held->client().server(), *failed));
                }
                return;
            }
            std::string message;
            std::error_code ec;
            if (failed) {
                ec = failed->code;
                message = sync::describe(action, held->lease().what->name, held->client().server(),
                                         failed->code, failed->detail);
            }
            told->done(ec, message);
        };
}

// The end of a wait: there is nothing to hold.
class wait_completion final : public acquire_completion {
public:
    explicit wait_completion(std::shared_ptr<completion> told) : told_{std::move(told)} {}

    void done(hold /*none*/, std::error_code ec, std::string_view message) noexcept override
    {
        told_->done(ec, message);
    }

private:
    std::shared_ptr<completion> told_;
};

// The handlers of arrivals are called while `where` exists.
sync::gate_arrivals::result_handler telling(const sync::gate_arrivals& where,
                                            std::unique_ptr<completion> told)
{
    return [&where, told = std::shared_ptr<completion>{std::move(told)}](const auto& got) {
        const auto* const failed = std::get_if<sync::trouble>(&got);
        if (failed == nullptr) {
            told->done({}, {});
        } else {
            told->done(failed->code, where.message(*failed));
        }
    };
}

// A run that has begun: its turn instead of its hold.
class turn_completion final : public acquire_completion {
public:
    explicit turn_completion(std::unique_ptr<begin_completion> told) : told_{std::move(told)} {}

    void done(hold got, std::error_code ec, std::string_view message) noexcept override
    {
        told_->done(pawl::detail::turn_access::make(std::move(got)), ec, message);
    }

private:
    std::unique_ptr<begin_completion> told_;
};

// Waits for a latch or barrier, after an arrival there.
void wait_for_others(const sync::gate_arrivals& where, const sync::settings_ptr& what,
                     const std::shared_ptr<completion>& told, const std::stop_token& stop)
{
    try {
        sync::lock_state{where.client(), what}.acquire(
            time_limit::never(), std::make_unique<wait_completion>(told), stop);
    } catch (const error& e) {
        told->done(e.code(), e.what());
    }
}

}  // namespace

void acquire(acquirable& lock, time_limit limit, std::unique_ptr<acquire_completion> told,
             std::stop_token stop)
{
    auto& state = async_access::state(lock);
    refuse_child(state.client(), "acquire", lock.name());
    state.acquire(limit, std::move(told), std::move(stop));
}

void release(hold what, std::unique_ptr<completion> told)
{
    const auto held = checked(async_access::take(what), "release");
    held->leave(telling(held, "release", std::move(told)));
}

void extend(hold& what, std::chrono::milliseconds lease, std::unique_ptr<completion> told)
{
    const auto held = checked(async_access::look_at(what), "extend");
    held->extend(lease, telling(held, "extend", std::move(told)));
}

void wait(const waitable& what, time_limit limit, std::unique_ptr<completion> told,
          std::stop_token stop)
{
    auto& state = async_access::state(what);
    refuse_child(state.client(), "wait", what.name());
    state.acquire(limit, std::make_unique<wait_completion>(std::move(told)), std::move(stop));
}

void count_down(latch& what, unsigned count, std::unique_ptr<completion> told)
{
    auto& where = async_access::arrivals(what);
    where.arrive({.count = count}, telling(where, std::move(told)));
}

void arrive_and_wait(latch& what, unsigned count, std::unique_ptr<completion> told,
                     std::stop_token stop)
{
    auto& where = async_access::arrivals(what);
    where.arrive({.count = count},
                 [&where, told = std::shared_ptr<completion>{std::move(told)},
                  stop = std::move(stop)](const sync::gate_arrivals::result& got) {
                     if (const auto* const failed = std::get_if<sync::trouble>(&got)) {
                         told->done(failed->code, where.message(*failed));
                     } else {
                         wait_for_others(where, where.settings(), told, stop);
                     }
                 });
}

void arrive(barrier& what, unsigned count, std::unique_ptr<arrive_completion> told)
{
    auto& where = async_access::arrivals(what);
    where.arrive({.count = count}, [&where, told = std::shared_ptr<arrive_completion>{std::move(
                                                told)}](const sync::gate_arrivals::result& got) {
        if (const auto* const failed = std::get_if<sync::trouble>(&got)) {
            told->done({}, failed->code, where.message(*failed));
        } else {
            told->done(async_access::make(where, std::get<std::uint64_t>(got)), {}, {});
        }
    });
}

void arrive_and_drop(barrier& what, std::unique_ptr<completion> told)
{
    auto& where = async_access::arrivals(what);
    where.arrive({.drops_out = true}, telling(where, std::move(told)));
}

void arrive_and_wait(barrier& what, std::unique_ptr<completion> told, std::stop_token stop)
{
    auto& where = async_access::arrivals(what);
    where.arrive({}, [&where, told = std::shared_ptr<completion>{std::move(told)},
                      stop = std::move(stop)](const sync::gate_arrivals::result& got) {
        if (const auto* const failed = std::get_if<sync::trouble>(&got)) {
            told->done(failed->code, where.message(*failed));
        } else {
            const auto phase = std::get<std::uint64_t>(got);
            wait_for_others(where, where.waiting_for(phase), told, stop);
        }
    });
}

void wait(condition_variable& what, hold held, time_limit limit,
          std::unique_ptr<acquire_completion> told, std::stop_token stop)
{
    async_access::state(what).wait(std::move(held), limit, std::move(told), std::move(stop));
}

void notify_one(condition_variable& what, std::unique_ptr<completion> told)
{
    async_access::state(what).notify(false, std::move(told));
}

void notify_all(condition_variable& what, std::unique_ptr<completion> told)
{
    async_access::state(what).notify(true, std::move(told));
}

void try_begin(once_per& what, std::unique_ptr<begin_completion> told, std::stop_token stop)
{
    auto& state = async_access::state(what);
    refuse_child(state.client(), "begin", what.name());
    state.acquire(time_limit::now(), std::make_unique<turn_completion>(std::move(told)),
                  std::move(stop));
}

void done(once_per::turn what, std::unique_ptr<completion> told)
{
    auto run = pawl::detail::turn_access::take(std::move(what));
    const auto held = checked(async_access::take(run), "done");
    held->use_up_period();
    held->leave(telling(held, "done", std::move(told)));
}

}  // namespace pawl::async
