#include "sync/yielding.h"

#include "core/request.h"
#include "sync/async_access.h"

#include <atomic>
#include <cstdint>
#include <system_error>

namespace pawl::sync {
namespace {

// A term belongs to one process, so the numbers of its requests grow.
std::uint64_t next_number()
{
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

// The request failed. If no try may have been executed, and the server says so too, the term goes on.
trouble settle_failure(grant& mine, const core::failure& why)
{
    if (why.maybe_executed) {
        mine.perhaps_changed();
        return {errc::unreachable, "the server may yet execute the request, so the term is lost"};
    }
    if (core::is_answer(why.what)) {
        // A script that lacks a permission may have stopped half-way.
        bool still_in = true;
        const auto silent = mine.confirm(still_in);
        if (silent || !still_in) {
            mine.perhaps_changed();
            return trouble_of(why);
        }
    }
    mine.not_changed();
    return trouble_of(why);
}

yield_result settle(hold& term, grant& mine, const core::yield_reply& got)
{
    if (std::holds_alternative<core::handed_over>(got)) {
        // Another thread may have resigned meanwhile.
        if (async_access::take(term)) mine.changed();
        return true;
    }
    if (std::holds_alternative<core::no_candidate>(got)) {
        mine.not_changed();
        return false;
    }
    if (const auto* const status = std::get_if<core::hold_status>(&got)) {
        mine.not_found(*status);
        return lost_because(mine.why());
    }
    return settle_failure(mine, *std::get_if<core::failure>(&got));
}

}  // namespace

yield_result yield_to(hold& term, std::string_view candidate)
{
    const auto mine = async_access::look_at(term);
    if (!mine) return trouble{errc::not_owner, "nobody leads with this term"};
    if (auto failed = mine->begin_change()) return std::move(*failed);
    try {
        const auto& lease = mine->lease();
        return settle(term, *mine,
                      mine->client()
                          .ask(core::yield_request{.mine = lease.mine(),
                                                   .used = mine->fence(),
                                                   .candidate = candidate,
                                                   .number = next_number(),
                                                   .announce = lease.announce})
                          .what);
    } catch (const std::system_error& e) {
        // No descriptors are left. Some try may have been sent before.
        mine->perhaps_changed();
        return trouble{errc::unreachable, e.what()};
    } catch (...) {
        mine->perhaps_changed();
        throw;
    }
}

}  // namespace pawl::sync
