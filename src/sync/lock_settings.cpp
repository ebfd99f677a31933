#include "sync/lock_settings.h"

#include "sync/validate.h"

#include <variant>

namespace pawl::sync {

settings_ptr settle(std::string_view name, const lock_options& options, reentry reentry,
                    fairness fairness)
{
    core::check_name("lock name", name);
    validate(options, fairness);
    const auto usual = reentry == reentry::allowed ? layout::hash : layout::plain;
    const auto* const polls = std::get_if<poll>(&options.wait);
    return std::make_shared<const lock_settings>(
        lock_settings{.keys = core::keys_of(name),
                      .layout = options.layout.value_or(usual),
                      .lease = options.lease,
                      .renew = options.renew,
                      .joins = polls == nullptr,
                      .fair = fairness == fairness::fair,
                      .poll_interval = polls != nullptr ? polls->interval : poll{}.interval,
                      .linger = options.linger,
                      .announce = options.announce});
}

}  // namespace pawl::sync
