#include "observe/log_writer.h"

#include <optional>
#include <utility>

namespace pawl::observe {

log_writer::log_writer(sink to, const base::platform& platform, dispatcher& handlers)
    : to_{to ? std::make_shared<const sink>(std::move(to)) : nullptr},
      platform_{platform},
      handlers_{handlers}
{
}

// Posted under the mutex, so that the number of those left out is with the right record.
void log_writer::write(log_record what)
{
    if (!to_) return;
    const common::scoped_lock guard{mutex_};
    const auto left_out = limit_.admit(what.name, platform_.now());
    if (!left_out) return;
    what.left_out = *left_out;
    handlers_.post([to = to_, what = std::move(what)] { (*to)(what); });
}

}  // namespace pawl::observe
