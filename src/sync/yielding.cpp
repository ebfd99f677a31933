#include "sync/yielding.h"

#include "core/exchange.h"
#include "core/request.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace pawl::sync {
namespace {

// A term belongs to one process, so the numbers of its requests grow.
std::uint64_t next_number()
{
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

// What the request points to.
struct named_lease {
    core::lease_ptr lease;
    std::string candidate;
};

core::exchange_machine machine_for(const grant& term, std::string_view candidate)
{
    const auto owner = std::make_shared<const named_lease>(
        named_lease{term.share_lease(), std::string{candidate}});
    const core::yield_request request{.mine = owner->lease->mine(),
                                      .used = term.fence(),
                                      .candidate = owner->candidate,
                                      .number = next_number(),
                                      .announce = owner->lease->announce};
    return {request, term.client().options().command_limit, term.client().random(), owner};
}

class yielding final : public change {
public:
    yielding(const grant_ptr& term, std::string_view candidate)
        : change{term}, asks_{machine_for(*term, candidate)}
    {
    }

private:
    [[nodiscard]] core::machine& request() override { return asks_; }
    [[nodiscard]] verdict judge() override;

    core::exchange_machine asks_;
};

change::verdict yielding::judge()
{
    using kind = verdict::kind;
    const auto& got = std::get<core::yield_reply>(asks_.result());
    if (std::holds_alternative<core::handed_over>(got)) return {.what = kind::changed};
    if (std::holds_alternative<core::no_candidate>(got)) return {.what = kind::declined};
    if (const auto* const status = std::get_if<core::hold_status>(&got)) {
        if (*status != core::hold_status::not_a_lock) return {.what = kind::gone, .found = *status};
        // Some key has another type, and that need not be the one of the term.
        return {.what = asks_.is_uncertain() ? kind::unanswered : kind::error,
                .why = {errc::not_a_lock, {}}};
    }
    const auto& why = *std::get_if<core::failure>(&got);
    const bool answered = core::is_answer(why.what) && !why.maybe_executed;
    return {.what = answered ? kind::error : kind::unanswered,
            .why = trouble_of(why),
            .maybe_executed = why.maybe_executed};
}

}  // namespace

change::result yield_to(const grant_ptr& term, std::string_view candidate)
{
    yielding what{term, candidate};
    run(term->client(), what);
    return what.outcome();
}

void yield_to(const grant_ptr& term, std::string_view candidate, yield_handler done)
{
    term->client().start(std::make_unique<yielding>(term, candidate),
                         [done = std::move(done)](const yielding& over) { done(over.outcome()); });
}

}  // namespace pawl::sync
