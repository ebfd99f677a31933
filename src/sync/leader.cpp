#include <pawl/error.h>
#include <pawl/leader.h>

#include "core/candidate.h"
#include "core/object.h"
#include "core/request.h"
#include "sync/async_access.h"
#include "sync/client_access.h"
#include "sync/lock_settings.h"
#include "sync/lock_state.h"
#include "sync/message.h"
#include "sync/trouble.h"
#include "sync/waitable_state.h"
#include "sync/yielding.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace pawl {

// ── The election ────────────────────────────────────────────────────────────────────────────────

class leader::election {
public:
    election(std::shared_ptr<sync::client_state> client, std::string_view name,
             const lock_options& options, std::string_view candidate)
        : client_{std::move(client)}, name_{name}, options_{options}, candidate_{candidate}
    {
        if (!candidate_.empty()) core::check_name("candidate", candidate_);
        static_cast<void>(standing_with({}));  // refuses bad options
    }

    // The settings of a candidate with this payload. All candidates wait in order.
    [[nodiscard]] sync::settings_ptr standing_with(std::string_view payload) const
    {
        return sync::settle({.name = name_,
                             .kind = core::object_kind::leader,
                             .candidate = core::candidate_text({candidate_, payload})},
                            options_, sync::fairness::fair);
    }

    [[nodiscard]] sync::settings_ptr watching_since(std::uint64_t fence) const
    {
        return sync::settle({.name = name_, .kind = core::object_kind::watch, .seen = fence}, {},
                            sync::fairness::fair);
    }

    [[nodiscard]] std::optional<leader_info> current();

    [[nodiscard]] const std::shared_ptr<sync::client_state>& client() const { return client_; }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

private:
    [[noreturn]] void raise(const sync::trouble& why) const
    {
        throw error{why.code,
                    sync::describe("current", name_, client_->server(), why.code, why.detail)};
    }

    std::shared_ptr<sync::client_state> client_;
    std::string name_;
    lock_options options_;
    std::string candidate_;
};

std::optional<leader_info> leader::election::current()
{
    if (client_->inherited()) raise({errc::wrong_process, {}});
    const core::object what{.name = name_, .kind = core::object_kind::leader};
    const auto got = client_->ask(core::read_request{.what = &what}).what;
    if (const auto* const failed = std::get_if<core::failure>(&got)) {
        raise(sync::trouble_of(*failed));
    }
    const auto& seen = std::get<core::term_seen>(got);
    if (seen.fence == 0) return std::nullopt;
    const auto who = core::candidate_in(seen.candidate);
    return leader_info{.payload = std::string{who.payload},
                       .candidate = std::string{who.name},
                       .fence = seen.fence,
                       .lease = std::max(seen.left, std::chrono::milliseconds{0})};
}

leader::leader(client& client, std::string_view name, const lock_options& options,
               std::string_view candidate)
    : election_{std::make_shared<election>(client_access::share(client), name, options, candidate)}
{
}

leader::~leader() = default;

leader::candidacy::candidacy(std::unique_ptr<state> made) noexcept : acquirable{std::move(made)} {}

leader::candidacy::~candidacy() = default;

leader::change::change(std::unique_ptr<state> made) noexcept : waitable{std::move(made)} {}

leader::candidacy leader::candidate(std::string_view payload)
{
    return candidacy{std::make_unique<acquirable::state>(election_->client(),
                                                         election_->standing_with(payload))};
}

leader::term leader::campaign(std::string_view payload, const std::stop_token& stop)
{
    return term{candidate(payload).acquire(stop)};
}

leader::term leader::campaign(std::string_view payload, std::error_code& ec) noexcept
{
    return campaign(payload, {}, ec);
}

leader::term leader::campaign(std::string_view payload, const std::stop_token& stop,
                              std::error_code& ec) noexcept
{
    return sync::with_code(ec, [&] { return term{candidate(payload).acquire(stop, ec)}; });
}

std::optional<leader::term> leader::campaign_within(std::string_view payload, time_limit limit,
                                                    const std::stop_token& stop)
{
    auto mine = candidate(payload);
    auto got = async_access::acquire_within(mine, limit, stop);
    if (!got) return std::nullopt;
    return term{std::move(*got)};
}

std::optional<leader::term> leader::campaign_within(std::string_view payload, time_limit limit,
                                                    const std::stop_token& stop,
                                                    std::error_code& ec) noexcept
{
    return sync::with_code(ec, [&]() -> std::optional<term> {
        auto mine = candidate(payload);
        auto got = async_access::acquire_within(mine, limit, stop, ec);
        if (!got) return std::nullopt;
        return term{std::move(*got)};
    });
}

std::optional<leader_info> leader::current()
{
    return election_->current();
}

std::optional<leader_info> leader::current(std::error_code& ec) noexcept
{
    return sync::with_code(ec, [&] { return election_->current(); });
}

leader::change leader::changed_since(std::uint64_t fence)
{
    return change{
        std::make_unique<waitable::state>(election_->client(), election_->watching_since(fence))};
}

const std::string& leader::name() const noexcept
{
    return election_->name();
}

// ── A term ──────────────────────────────────────────────────────────────────────────────────────

namespace {

core::candidate candidate_of(const hold& what)
{
    const auto mine = async_access::granted(what);
    return mine ? core::candidate_in(mine->lease().what->candidate) : core::candidate{};
}

}  // namespace

leader::term::term(hold what) : hold{std::move(what)}
{
    const auto mine = async_access::granted(*this);
    if (mine && mine->lease().what->kind != core::object_kind::leader) {
        throw error{errc::bad_argument,
                    "term: a hold of " + sync::in_quotes(name()) + ", which is not a leader"};
    }
}

std::string leader::term::payload() const
{
    return std::string{candidate_of(*this).payload};
}

std::string leader::term::candidate() const
{
    return std::string{candidate_of(*this).name};
}

bool leader::term::yield_to(std::string_view candidate)
{
    core::check_name("candidate", candidate);
    auto got = sync::yield_to(*this, candidate);
    const auto* const failed = std::get_if<sync::trouble>(&got);
    if (failed == nullptr) return std::get<bool>(got);
    const auto mine = async_access::granted(*this);
    if (!mine) throw error{failed->code, "yield_to: nobody leads with this term"};
    throw error{failed->code, sync::describe("yield", name(), mine->client().server(), failed->code,
                                             failed->detail)};
}

bool leader::term::yield_to(std::string_view candidate, std::error_code& ec) noexcept
{
    return sync::with_code(ec, [&] { return yield_to(candidate); });
}

}  // namespace pawl
