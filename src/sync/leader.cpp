#include <pawl/async.h>
#include <pawl/error.h>
#include <pawl/leader.h>

#include "core/candidate.h"
#include "core/exchange.h"
#include "core/object.h"
#include "core/request.h"
#include "sync/async_access.h"
#include "sync/client_access.h"
#include "sync/lock_settings.h"
#include "sync/lock_state.h"
#include "sync/message.h"
#include "sync/trouble.h"
#include "sync/validate.h"
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

class leader::election : public std::enable_shared_from_this<election> {
public:
    election(std::shared_ptr<sync::client_state> client, std::string_view name,
             const lock_options& options, std::string_view candidate)
        : client_{std::move(client)}, name_{name}, options_{options}, candidate_{candidate}
    {
        if (!candidate_.empty()) core::check_name("candidate", candidate_);
        static_cast<void>(standing_with({}));  // refuses bad options
        if (client_->is_quorum()) sync::refuse_on_quorum("leader");
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
    void current(std::unique_ptr<async::value_completion<std::optional<leader_info>>> told);

    [[nodiscard]] const std::shared_ptr<sync::client_state>& client() const { return client_; }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

private:
    [[noreturn]] void raise(const sync::trouble& why) const { throw error{why.code, message(why)}; }
    [[nodiscard]] std::string message(const sync::trouble& why) const
    {
        return sync::describe("current", name_, client_->server(), why.code, why.detail);
    }

    std::shared_ptr<sync::client_state> client_;
    std::string name_;
    lock_options options_;
    std::string candidate_;
};

namespace {

std::optional<leader_info> info_of(const core::term_seen& seen)
{
    if (seen.fence == 0) return std::nullopt;
    const auto who = core::candidate_in(seen.candidate);
    return leader_info{.payload = std::string{who.payload},
                       .candidate = std::string{who.name},
                       .fence = seen.fence,
                       .lease = std::max(seen.left, std::chrono::milliseconds{0})};
}

}  // namespace

std::optional<leader_info> leader::election::current()
{
    if (client_->inherited()) raise({errc::wrong_process, {}});
    const core::object what{.name = name_, .kind = core::object_kind::leader};
    const auto got = client_->ask(core::read_request{.what = &what}).what;
    if (const auto* const failed = std::get_if<core::failure>(&got)) {
        raise(sync::trouble_of(*failed));
    }
    return info_of(*std::get_if<core::term_seen>(&got));
}

void leader::election::current(
    std::unique_ptr<async::value_completion<std::optional<leader_info>>> told)
{
    if (client_->inherited()) raise({errc::wrong_process, {}});
    if (const auto failed = client_->prepare()) raise(*failed);
    const auto what = std::make_shared<const core::object>(
        core::object{.name = name_, .kind = core::object_kind::leader});
    auto machine = std::make_unique<core::exchange_machine>(core::read_request{.what = what.get()},
                                                            client_->options().command_limit,
                                                            client_->random(), what);
    client_->start(std::move(machine), [self = shared_from_this(), told = std::move(told)](
                                           const core::exchange_machine& over) {
        const auto& got = std::get<core::read_reply>(over.result());
        if (const auto* const failed = std::get_if<core::failure>(&got)) {
            const auto why = sync::trouble_of(*failed);
            told->done({}, why.code, self->message(why));
        } else {
            told->done(info_of(*std::get_if<core::term_seen>(&got)), {}, {});
        }
    });
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
    return candidacy{
        std::make_unique<candidacy::state>(election_->client(), election_->standing_with(payload))};
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
        std::make_unique<change::state>(election_->client(), election_->watching_since(fence))};
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

namespace {

constexpr std::string_view nobody = "yield_to: nobody leads with this term";

std::string yield_message(const sync::grant& mine, const sync::trouble& why)
{
    return sync::describe("yield", mine.lease().what->name, mine.client().server(), why.code,
                          why.detail);
}

}  // namespace

bool leader::term::yield_to(std::string_view candidate)
{
    core::check_name("candidate", candidate);
    const auto mine = async_access::look_at(*this);
    if (!mine) throw error{errc::not_owner, std::string{nobody}};
    const auto got = sync::yield_to(mine, candidate);
    if (const auto* const failed = std::get_if<sync::trouble>(&got)) {
        throw error{failed->code, yield_message(*mine, *failed)};
    }
    return *std::get_if<bool>(&got);
}

bool leader::term::yield_to(std::string_view candidate, std::error_code& ec) noexcept
{
    return sync::with_code(ec, [&] { return yield_to(candidate); });
}

// ── Without blocking ────────────────────────────────────────────────────────────────────────────

void async::yield_to(leader::term& term, std::string_view candidate,
                     std::unique_ptr<value_completion<bool>> told)
{
    core::check_name("candidate", candidate);
    const auto mine = async_access::look_at(term);
    if (!mine) throw error{errc::not_owner, std::string{nobody}};
    if (mine->client().inherited()) {
        throw error{errc::wrong_process, yield_message(*mine, {errc::wrong_process, {}})};
    }
    // `told` is in a shared_ptr because a std::function must be copyable.
    sync::yield_to(mine, candidate,
                   [mine, told = std::shared_ptr<value_completion<bool>>{std::move(told)}](
                       const sync::change::result& got) {
                       if (const auto* const failed = std::get_if<sync::trouble>(&got)) {
                           told->done(false, failed->code, yield_message(*mine, *failed));
                       } else {
                           told->done(std::get<bool>(got), {}, {});
                       }
                   });
}

void async::current(leader& where,
                    std::unique_ptr<value_completion<std::optional<leader_info>>> told)
{
    async_access::election(where).current(std::move(told));
}

}  // namespace pawl
