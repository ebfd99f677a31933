#include "sync/client_state.h"

#include "base/forked.h"
#include "redis/url.h"
#include "store/redis/single_server.h"
#include "sync/validate.h"

#include <algorithm>
#include <chrono>

namespace pawl::sync {

using base::boot_clock;
using core::outcome;
using core::verdict;

namespace {

client_options validated(client_options options)
{
    validate(options);
    return options;
}

std::shared_ptr<store::store> make_store(const client_options& options, base::event_loop& loop)
{
    return std::make_shared<store::single_server>(
        loop, redis::read_config(options), options.pool_size,
        redis::pipeline::limits{.connect = options.connect_limit,
                                .command = options.command_limit});
}

outcome closed_outcome()
{
    return {.what = verdict::refused, .fence = 0, .detail = "the client was destroyed"};
}

// Waits out a machine's pause. False if the caller does not want to wait any longer.
bool pause(base::boot_time until, const base::interrupt* stop)
{
    return base::wait_for(-1, 0, until, stop) != base::wait_end::interrupted;
}

}  // namespace

client_state::parts::parts(const client_options& options)
    : store{make_store(options, loop)}, keeper{options, loop, *store, stops, handlers}
{
    loop.start();
}

client_state::client_state(client_options options)
    : process_mark_{base::process_mark()},
      options_{validated(std::move(options))},
      id_{base::random_id()},
      random_{&base::system_random_unit},
      parts_{std::make_unique<parts>(options_)},
      server_{parts_->store->shown()}
{
}

client_state::~client_state()
{
    // The threads behind it run in the parent only; so do the connections.
    if (inherited()) static_cast<void>(parts_.release());  // NOLINT(bugprone-unused-return-value)
}

bool client_state::inherited() const noexcept
{
    return process_mark_ != base::process_mark();
}

void client_state::close()
{
    if (inherited()) return;
    const auto until = boot_clock::now() + options_.shutdown_limit;
    parts_->keeper.close(until);
    parts_->loop.stop();
    std::shared_ptr<store::store> gone;
    {
        const std::scoped_lock guard{parts_->store_mutex};
        gone.swap(parts_->store);
    }
    gone.reset();
    for (auto* const each : {&parts_->stops, &parts_->handlers}) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - boot_clock::now());
        each->close(std::max(left, std::chrono::milliseconds{0}));
    }
}

std::shared_ptr<store::store> client_state::open_store() const
{
    const std::scoped_lock guard{parts_->store_mutex};
    return parts_->store;
}

core::acquire_result client_state::run(const core::acquire_plan& plan, const base::interrupt* stop)
{
    using kind = core::acquire_step::kind;
    const auto store = open_store();
    core::acquire_machine machine{plan, random_};
    auto step = machine.start(boot_clock::now());
    while (step.what != kind::finish) {
        if (step.what == kind::send) {
            const auto got =
                store ? store->execute(step.request, step.until, stop) : closed_outcome();
            step = machine.on_outcome(got, boot_clock::now());
        } else if (pause(step.until, stop)) {
            step = machine.on_pause_over(boot_clock::now());
        } else {
            step = machine.on_cancel();
        }
    }
    return machine.result();
}

client_state::answer client_state::run(const core::operation& request, const base::interrupt* stop)
{
    using kind = core::exchange_step::kind;
    const auto store = open_store();
    core::exchange_machine machine{request, options_.command_limit, random_};
    auto step = machine.start(boot_clock::now());
    while (step.what != kind::finish) {
        if (step.what == kind::send) {
            auto got =
                store ? store->execute(machine.request(), step.until, stop) : closed_outcome();
            step = machine.on_outcome(std::move(got), boot_clock::now());
        } else if (pause(step.until, stop)) {
            step = machine.on_pause_over(boot_clock::now());
        } else {
            step = machine.on_outcome({.what = verdict::cancelled}, boot_clock::now());
        }
    }
    return {machine.result(), machine.sent()};
}

outcome client_state::ping()
{
    const auto store = open_store();
    return store ? store->ping(boot_clock::now() + options_.command_limit) : closed_outcome();
}

void client_state::warn(std::string text)
{
    if (!inherited()) parts_->keeper.warn(std::move(text));
}

}  // namespace pawl::sync
