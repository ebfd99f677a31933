#include "sync/client_state.h"

#include "base/forked.h"
#include "base/mutant.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>
#include <variant>

namespace pawl::sync {

namespace {

core::failure closed_client()
{
    return {.what = core::failure_kind::refused, .detail = std::string{core::client_destroyed}};
}

surroundings with_log(surroundings&& all, const client_options& options)
{
    if (!all.log) {
        all.log = std::make_unique<observe::log_writer>(options.log, *all.platform, *all.handlers);
    }
    return std::move(all);
}

}  // namespace

client_state::parts::parts(const client_options& options, surroundings&& all, std::string client)
    : around{with_log(std::move(all), options)},
      keeper{options, around},
      room{around, keeper, std::move(client),
           [this](std::optional<std::string_view> lock) { locals->wanted(lock); }},
      store{std::move(around.store)},
      calls{*around.platform, *around.loop}
{
    around.loop->start();
}

client_state::client_state(client_options options, surroundings around)
    : process_mark_{base::process_mark()},
      is_quorum_{around.quorum},
      options_{std::move(options)},
      id_{std::move(around.client)},
      parts_{
          std::make_unique<parts>(options_, std::move(around), std::string{core::channel_of(id_)})},
      random_{[&platform = platform()] { return platform.random_unit(); }},
      server_{parts_->store.get()->shown()}
{
}

client_state::~client_state()
{
    // Its threads run in the parent only, and the parent uses its connections.
    if (inherited()) static_cast<void>(parts_.release());  // NOLINT(bugprone-unused-return-value)
}

bool client_state::inherited() const noexcept
{
    return process_mark_ != base::process_mark();
}

void client_state::close()
{
    if (inherited()) return;
    const auto until = platform().now() + options_.shutdown_limit;
    parts_->calls.close(until);
    parts_->locals->wanted(std::nullopt);
    parts_->keeper.close(until);
    if (const auto store = parts_->store.get()) store->drain(until);
    parts_->around.loop->stop();
    parts_->calls.abandon_all();
    parts_->store.close();
    for (auto* const each : {parts_->around.stops.get(), parts_->around.handlers.get()}) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - platform().now());
        each->close(std::max(left, std::chrono::milliseconds{0}));
    }
}

void client_state::prepare_to_tell()
{
    if (can_tell_ || base::is(base::mutant::d48_unprepared_for_loss)) return;
    try {
        parts_->around.stops->prepare();
        if (options_.on_event || options_.log) parts_->around.handlers->prepare();
    } catch (const std::system_error& e) {
        throw std::system_error{e.code(), "cannot start the thread that tells of lost locks"};
    }
    can_tell_ = true;
}

maybe_trouble client_state::prepare()
{
    const auto store = parts_->store.get();
    const auto problem = store ? store->prepare() : std::nullopt;
    return problem ? maybe_trouble{trouble_of(*problem)} : std::nullopt;
}

std::optional<core::failure> client_state::ping()
{
    const auto store = parts_->store.get();
    return store ? store->ping(platform().now() + options_.command_limit) : closed_client();
}

std::vector<node_info> client_state::nodes(std::string_view lock)
{
    const auto store = parts_->store.get();
    if (!store) return {};
    return store->nodes(lock, platform().now() + options_.command_limit);
}

std::optional<core::failure> client_state::init_nodes(bool force)
{
    // All keys of each node are looked at.
    constexpr int commands = 10;
    const auto store = parts_->store.get();
    if (!store) return closed_client();
    return store->init_nodes(force, platform().now() + commands * options_.command_limit);
}

store::server_list client_state::servers(std::string_view lock)
{
    const auto store = parts_->store.get();
    if (!store) return {.problem = closed_client()};
    return store->servers(lock, platform().now() + options_.command_limit);
}

std::vector<store::server_answer> client_state::ask_servers(
    const std::vector<store::server_question>& questions)
{
    const auto store = parts_->store.get();
    if (!store) {
        return std::vector<store::server_answer>(questions.size(),
                                                 store::server_answer{.problem = closed_client()});
    }
    return store->ask(questions, platform().now() + options_.command_limit);
}

metrics client_state::metrics()
{
    auto got = counters().read();
    got.leases = parts_->keeper.count();
    got.waiters = parts_->room.count();
    got.listening = parts_->room.is_listening();
    return got;
}

void client_state::log(log_record what)
{
    if (!inherited()) parts_->around.log->write(std::move(what));
}

}  // namespace pawl::sync
