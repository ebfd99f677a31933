#include "core/request.h"

#include "base/mutant.h"

#include <algorithm>
#include <type_traits>

namespace pawl::core {

cause cause_of(hold_status what) noexcept
{
    switch (what) {
    case hold_status::done: break;
    case hold_status::vanished: return cause::vanished;
    case hold_status::taken: return cause::taken;
    case hold_status::not_a_lock: return cause::not_a_lock;
    }
    return cause::none;
}

queue_place acquire_request::place() const noexcept
{
    const bool is_part =
        mine.what->kind == object_kind::many && !base::is(base::mutant::part_has_whole_lease);
    return {client, is_part ? std::min(lease, part_lease) : lease, reserve};
}

const failure* failure_in(const reply& got)
{
    return std::visit(
        [](const auto& each) -> const failure* {
            using got_reply = std::decay_t<decltype(each)>;
            if constexpr (std::is_same_v<got_reply, renew_request::reply> ||
                          std::is_same_v<got_reply, restore_reply>) {
                return nullptr;  // each lock has its own reply
            } else {
                return std::get_if<failure>(&each);
            }
        },
        got);
}

reply failed(const request& what, const failure& why)
{
    if (const auto* const renewals = std::get_if<renew_request>(&what)) {
        return renew_request::reply(renewals->all.size(), why);
    }
    if (const auto* const question = std::get_if<exchange_request>(&what)) {
        return std::visit(
            [&](const auto& each) -> reply {
                return typename std::decay_t<decltype(each)>::reply{why};
            },
            *question);
    }
    if (const auto* const asked = std::get_if<node_request>(&what)) {
        return std::visit(
            [&](const auto& each) -> reply {
                if constexpr (requires { each.all; }) {
                    restore_reply got;
                    got.all.assign(each.all.size(), why);
                    return got;
                } else {
                    return typename std::decay_t<decltype(each)>::reply{why};
                }
            },
            *asked);
    }
    return acquire_reply{why};
}

}  // namespace pawl::core
