#include "sync/gate_arrivals.h"

#include "sync/message.h"

#include <pawl/error.h>

#include <system_error>
#include <utility>

namespace pawl::sync {

settings_ptr settle_gate(core::object what)
{
    constexpr unsigned most = 1'000'000;
    if (what.expected < 1 || what.expected > most) {
        throw error{errc::bad_argument,
                    "expected: " + std::to_string(what.expected) + " (allowed: 1 to 1000000)"};
    }
    return settle(std::move(what), {}, fairness::fair);
}

gate_arrivals::gate_arrivals(std::shared_ptr<client_state> client, settings_ptr settings)
    : client_{std::move(client)}, settings_{std::move(settings)}
{
}

gate_arrivals::participant gate_arrivals::take_participant()
{
    {
        const common::scoped_lock guard{mutex_};
        if (!idle_.empty()) {
            auto mine = std::move(idle_.back());
            idle_.pop_back();
            return mine;
        }
    }
    return {.id = client_->platform().random_id()};
}

gate_arrivals::result gate_arrivals::arrive(const arrival& how)
{
    if (client_->inherited()) return trouble{errc::wrong_process, {}};
    try {
        auto mine = take_participant();
        ++mine.arrivals;
        const auto got = client_->ask(core::arrive_request{.what = &settings_->what,
                                                           .participant = mine.id,
                                                           .number = mine.arrivals,
                                                           .count = how.count,
                                                           .drops_out = how.drops_out});
        {
            const common::scoped_lock guard{mutex_};
            idle_.push_back(std::move(mine));
        }
        if (const auto* const problem = std::get_if<core::failure>(&got.what)) {
            return trouble_of(*problem);
        }
        return std::get<core::arrived>(got.what).phase;
    } catch (const std::system_error& e) {
        // No descriptors are left. That may pass, like a broken connection.
        return trouble{errc::unreachable, e.what()};
    }
}

std::uint64_t gate_arrivals::checked(const result& got) const
{
    if (const auto* const failed = std::get_if<trouble>(&got)) {
        throw error{failed->code, describe("arrive", what().name, client_->server(), failed->code,
                                           failed->detail)};
    }
    return std::get<std::uint64_t>(got);
}

settings_ptr gate_arrivals::waiting_for(std::uint64_t phase) const
{
    auto what = settings_->what;
    what.phase = phase;
    return settle_gate(std::move(what));
}

}  // namespace pawl::sync
