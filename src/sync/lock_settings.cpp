#include "sync/lock_settings.h"

#include "sync/validate.h"

#include <string>
#include <variant>

namespace pawl::sync {

settings_ptr settle(std::string_view name, const lock_options& options, core::object_kind kind,
                    fairness fairness)
{
    core::check_name("lock name", name);
    validate(options, fairness);
    const auto usual = kind == core::object_kind::counted ? layout::hash : layout::plain;
    const auto* const polls = std::get_if<poll>(&options.wait);
    return std::make_shared<const lock_settings>(lock_settings{
        .what = {.name = std::string{name}, .kind = kind, .layout = options.layout.value_or(usual)},
        .lease = options.lease,
        .renew = options.renew,
        .joins = polls == nullptr,
        .fair = fairness == fairness::fair,
        .poll_interval = polls != nullptr ? polls->interval : poll{}.interval,
        .linger = options.linger,
        .announce = options.announce});
}

}  // namespace pawl::sync
