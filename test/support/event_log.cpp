#include "support/event_log.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace pawl::test {

void event_log::attach(client_options& options)
{
    options.on_event = [this](const event& one) {
        const std::lock_guard lock{mutex_};
        events_.push_back(one);
        changed_.notify_all();
    };
    options.log = [this](const log_record& one) {
        const std::lock_guard lock{mutex_};
        records_.push_back(one);
        text_.append(one.text).append("\n");
        changed_.notify_all();
    };
}

std::vector<event> event_log::all() const
{
    const std::lock_guard lock{mutex_};
    return events_;
}

std::vector<event> event_log::of(std::string_view holder) const
{
    const std::lock_guard lock{mutex_};
    std::vector<event> found;
    std::copy_if(events_.begin(), events_.end(), std::back_inserter(found),
                 [holder](const event& one) { return one.holder == holder; });
    return found;
}

std::size_t event_log::count(hold_state to) const
{
    const std::lock_guard lock{mutex_};
    return static_cast<std::size_t>(std::count_if(events_.begin(), events_.end(),
                                                  [to](const event& one) { return one.to == to; }));
}

event event_log::first(hold_state to, std::chrono::milliseconds limit) const
{
    return first_where([to](const event& one) { return one.to == to; }, limit);
}

event event_log::first(hold_state to, std::string_view holder,
                       std::chrono::milliseconds limit) const
{
    return first_where(
        [to, holder](const event& one) { return one.to == to && one.holder == holder; }, limit);
}

event event_log::first_where(const std::function<bool(const event&)>& wanted,
                             std::chrono::milliseconds limit) const
{
    std::unique_lock lock{mutex_};
    auto found = events_.end();
    const bool came = changed_.wait_for(lock, limit, [&] {
        found = std::find_if(events_.begin(), events_.end(), wanted);
        return found != events_.end();
    });
    if (!came) throw std::runtime_error{"the event did not come; the log: " + text_};
    return *found;
}

bool event_log::wait_for(hold_state to, std::size_t count, std::chrono::milliseconds limit) const
{
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, limit, [&] {
        return static_cast<std::size_t>(
                   std::count_if(events_.begin(), events_.end(),
                                 [to](const event& one) { return one.to == to; })) >= count;
    });
}

log_record event_log::record(std::string_view name, std::chrono::milliseconds limit) const
{
    std::unique_lock lock{mutex_};
    auto found = records_.end();
    const bool came = changed_.wait_for(lock, limit, [&] {
        found = std::find_if(records_.begin(), records_.end(),
                             [name](const log_record& one) { return one.name == name; });
        return found != records_.end();
    });
    if (!came) throw std::runtime_error{"the record did not come; the log: " + text_};
    return *found;
}

std::string event_log::text() const
{
    const std::lock_guard lock{mutex_};
    return text_;
}

}  // namespace pawl::test
