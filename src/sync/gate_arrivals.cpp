#include "sync/gate_arrivals.h"

#include "sync/message.h"
#include "sync/validate.h"

#include <pawl/error.h>
#include <pawl/waitable.h>

#include <string_view>
#include <utility>

namespace pawl::sync {
namespace {

void check_number(std::string_view what, unsigned number)
{
    if (number >= 1 && number <= most_arrivals) return;
    throw error{errc::bad_argument, std::string{what} + ": " + std::to_string(number) +
                                        " (allowed: 1 to " + std::to_string(most_arrivals) + ")"};
}

gate_arrivals::result result_of(const core::arrive_reply& got)
{
    if (const auto* const problem = std::get_if<core::failure>(&got)) return trouble_of(*problem);
    return std::get<core::arrived>(got).phase;
}

}  // namespace

settings_ptr settle_gate(core::object what)
{
    check_number("expected", what.expected);
    return settle(std::move(what), {}, fairness::fair);
}

gate_arrivals::gate_arrivals(std::shared_ptr<client_state> client, settings_ptr settings)
    : client_{std::move(client)}, settings_{std::move(settings)}
{
    if (client_->is_quorum()) validate_on_quorum(*settings_, client_->options());
}

gate_arrivals::participant_ptr gate_arrivals::take_participant()
{
    {
        const common::scoped_lock guard{mutex_};
        if (!idle_.empty()) {
            auto mine = std::move(idle_.back());
            idle_.pop_back();
            return mine;
        }
    }
    return std::make_shared<participant>(
        participant{.settings = settings_, .id = client_->platform().random_id()});
}

void gate_arrivals::put_back(participant_ptr who)
{
    const common::scoped_lock guard{mutex_};
    idle_.push_back(std::move(who));
}

core::arrive_request gate_arrivals::next_arrival(participant& who, const arrival& how)
{
    return {.what = &who.settings->what,
            .participant = who.id,
            .number = ++who.arrivals,
            .count = how.count,
            .drops_out = how.drops_out};
}

gate_arrivals::result gate_arrivals::arrive(const arrival& how)
{
    check_number("count", how.count);
    if (client_->inherited()) return trouble{errc::wrong_process, {}};
    const auto mine = take_participant();
    const auto got = client_->ask(next_arrival(*mine, how));
    put_back(mine);
    return result_of(got.what);
}

void gate_arrivals::arrive(const arrival& how, result_handler done)
{
    check_number("count", how.count);
    if (client_->inherited()) checked(trouble{errc::wrong_process, {}});
    if (const auto failed = client_->prepare()) checked(*failed);
    const auto mine = take_participant();
    auto machine = std::make_unique<core::exchange_machine>(
        next_arrival(*mine, how), client_->options().command_limit, client_->random(), mine);
    client_->start(std::move(machine), [self = shared_from_this(), mine,
                                        done = std::move(done)](core::exchange_machine& over) {
        self->put_back(mine);
        done(result_of(std::get<core::arrive_reply>(over.result())));
    });
}

std::uint64_t gate_arrivals::checked(const result& got) const
{
    if (const auto* const failed = std::get_if<trouble>(&got)) {
        throw error{failed->code, message(*failed)};
    }
    return std::get<std::uint64_t>(got);
}

std::string gate_arrivals::message(const trouble& what) const
{
    return describe("arrive", settings_->what.name, client_->server(), what.code, what.detail);
}

settings_ptr gate_arrivals::waiting_for(std::uint64_t phase) const
{
    auto what = settings_->what;
    what.phase = phase;
    return settle_gate(std::move(what));
}

}  // namespace pawl::sync
