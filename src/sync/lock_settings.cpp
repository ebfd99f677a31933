#include "sync/lock_settings.h"

#include "sync/validate.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace pawl::sync {

settings_ptr settle(core::object what, const lock_options& options, fairness fairness)
{
    for (const auto& name : core::names_of(what)) core::check_name("lock name", name);
    validate(what, options, fairness);
    const auto usual = what.kind == core::object_kind::counted ? layout::hash : layout::plain;
    what.layout = options.layout.value_or(usual);
    const bool limited = options.longest_hold.count() > 0;
    const auto* const polls = std::get_if<poll>(&options.wait);
    return std::make_shared<const lock_settings>(lock_settings{
        .what = std::move(what),
        .lease = limited ? std::min(options.lease, options.longest_hold) : options.lease,
        .renew = options.renew,
        .joins = polls == nullptr,
        .fair = fairness == fairness::fair,
        .poll_interval = polls != nullptr ? polls->interval : poll{}.interval,
        .linger = options.linger,
        .announce = options.announce,
        .longest_hold = options.longest_hold,
        .heartbeat = options.heartbeat});
}

}  // namespace pawl::sync
