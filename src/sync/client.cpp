#include <pawl/client.h>
#include <pawl/error.h>

#include "core/object.h"
#include "sync/client_state.h"
#include "sync/grant.h"
#include "sync/message.h"
#include "sync/surroundings.h"
#include "sync/validate.h"

#include <memory>
#include <utility>

namespace pawl {
namespace {

client_options only_url(std::string_view url)
{
    client_options options;
    options.url = url;
    return options;
}

sync::maybe_trouble ping_of(sync::client_state& state)
{
    if (state.inherited()) return sync::trouble{errc::wrong_process, {}};
    const auto failed = state.ping();
    return failed ? sync::maybe_trouble{sync::trouble_of(*failed)} : std::nullopt;
}

// `lock` may be empty.
std::vector<node_info> nodes_of(sync::client_state& state, std::string_view lock)
{
    if (state.inherited()) {
        const auto code = errc::wrong_process;
        throw error{code, sync::describe("nodes", lock, state.server(), code, {})};
    }
    return state.nodes(lock);
}

}  // namespace

client::client(std::string_view url) : client{only_url(url)} {}

client::client(client_options options)
{
    sync::validate(options);
    auto around = sync::surroundings_for(options);
    state_ = std::make_shared<state>(std::move(options), std::move(around));
}

client::client(std::shared_ptr<state> made) noexcept : state_{std::move(made)} {}

client::~client()
{
    state_->close();
}

void client::ping()
{
    if (const auto failed = ping_of(*state_)) {
        throw error{failed->code,
                    sync::describe("ping", {}, server(), failed->code, failed->detail)};
    }
}

void client::ping(std::error_code& ec) noexcept
{
    sync::with_code(ec, [&] {
        if (const auto failed = ping_of(*state_)) ec = failed->code;
    });
}

std::vector<hold_info> client::holds() const
{
    std::vector<hold_info> found;
    if (state_->inherited()) return found;
    const auto now = state_->platform().now();
    for (const auto& lease : state_->leases().all()) {
        found.push_back({.lock = lease->what->name,
                         .id = lease->holder,
                         .fence = lease->fence,
                         .state = lease->state,
                         .valid_for = lease->valid_until() - now});
    }
    return found;
}

std::vector<node_info> client::nodes() const
{
    return nodes_of(*state_, {});
}

std::vector<node_info> client::nodes(std::string_view lock) const
{
    core::check_name("lock name", lock);
    return nodes_of(*state_, lock);
}

void client::init_nodes(bool force)
{
    const auto fail = [&](errc code, std::string_view detail) {
        throw error{code, sync::describe("init nodes", {}, server(), code, detail)};
    };
    if (state_->inherited()) fail(errc::wrong_process, {});
    if (!state_->is_quorum()) {
        fail(errc::bad_argument, "the URL names no quorum (allowed: redlock:…)");
    }
    if (const auto failed = state_->init_nodes(force)) {
        const auto why = sync::trouble_of(*failed);
        fail(why.code, why.detail);
    }
}

metrics client::metrics() const
{
    if (state_->inherited()) return {};
    return state_->metrics();
}

const std::string& client::id() const noexcept
{
    return state_->id();
}

const std::string& client::server() const noexcept
{
    return state_->server();
}

}  // namespace pawl
