#include "core/request.h"

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

const failure* failure_in(const reply& got)
{
    return std::visit(
        [](const auto& each) -> const failure* {
            if constexpr (std::is_same_v<std::decay_t<decltype(each)>, renew_request::reply>) {
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
    return acquire_reply{why};
}

}  // namespace pawl::core
