#include "store/cluster/itinerary.h"

#include "base/mutant.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace pawl::store {
namespace {

using core::failure_kind;

// The node was asked and did not execute the request, but will later.
bool is_for_later(const core::failure& why)
{
    constexpr std::array<std::string_view, 3> codes{"TRYAGAIN", "CLUSTERDOWN", "LOADING"};
    if (base::is(base::mutant::tryagain_is_final) && why.detail.starts_with("TRYAGAIN")) {
        return false;
    }
    return why.what == failure_kind::unavailable &&
           std::ranges::any_of(codes, [&](auto code) { return why.detail.starts_with(code); });
}

bool is_without_node(const core::failure& why)
{
    return why.what == failure_kind::unreachable || why.what == failure_kind::elsewhere;
}

}  // namespace

itinerary::next itinerary::on_failure(const core::failure& why, const node_address& asked)
{
    const bool silent = why.what == failure_kind::unreachable || why.what == failure_kind::no_reply;
    if (why.maybe_executed) return {.what = next::kind::finish, .reload = silent};
    if (why.what == failure_kind::elsewhere) {
        if (auto to = redis::redirection_in(why.detail)) {
            if (to->host.empty()) to->host = asked.host;
            return on_redirection(*to, why.detail.starts_with("ASK"));
        }
    }
    if (is_for_later(why)) {
        return {.what = next::kind::pause, .reload = why.detail.starts_with("CLUSTERDOWN")};
    }
    if (is_without_node(why)) return {.what = next::kind::pause, .reload = true};
    return {.what = next::kind::finish, .reload = silent};
}

itinerary::next itinerary::on_redirection(const redis::redirection& to, bool is_ask)
{
    next got;
    if (is_ask) {
        got.what = one_key_ ? next::kind::ask : next::kind::pause;
        got.where = {to.host, to.port};
        return got;
    }
    got.what =
        ++redirections_ % (most_redirections + 1) == 0 ? next::kind::pause : next::kind::again;
    got.reload = true;
    got.moved = to;
    return got;
}

itinerary::next itinerary::on_failed_ask(const core::failure& why) const
{
    if (why.maybe_executed || (!is_for_later(why) && !is_without_node(why))) {
        return {.what = next::kind::finish};
    }
    return {.what = next::kind::pause, .reload = true};
}

std::chrono::milliseconds itinerary::pause() noexcept
{
    const auto now = pause_;
    pause_ = std::min(2 * pause_, longest_pause);
    return now;
}

}  // namespace pawl::store
