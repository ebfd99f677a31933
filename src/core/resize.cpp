#include "core/resize.h"

#include "base/mutant.h"

#include <utility>
#include <variant>

namespace pawl::core {

using base::boot_time;

resize_machine::resize_machine(std::shared_ptr<const object> what, unsigned capacity,
                               std::chrono::milliseconds command_limit,
                               const base::random_unit& random)
    : what_{std::move(what)},
      request_{.what = what_.get(), .capacity = capacity},
      command_limit_{command_limit},
      random_{&random}
{
    ask();
}

void resize_machine::ask()
{
    ++tries_;
    one_.emplace(request_, command_limit_, *random_, what_);
}

step resize_machine::start(boot_time now)
{
    return one_->start(now);
}

step resize_machine::on_reply(const reply& got, boot_time now)
{
    return checked(one_->on_reply(got, now), now);
}

step resize_machine::on_time(boot_time now)
{
    return checked(one_->on_time(now), now);
}

step resize_machine::on_cancel(boot_time now, std::string_view why)
{
    return one_->on_cancel(now, why);
}

step resize_machine::checked(step next, boot_time now)
{
    if (next.what != step::kind::finish) return next;
    const auto* const last = answer();
    if (last == nullptr || is_set(*last) || tries_ == most_tries) return next;
    request_.after = last->number;
    ask();
    return start(now);
}

// nullptr after a failure.
const resized* resize_machine::answer() const
{
    return std::get_if<resized>(&std::get<resize_reply>(one_->result()));
}

bool resize_machine::is_set(const resized& last) const
{
    return last.is_set || (request_.after && base::is(base::mutant::resize_tried_once));
}

std::optional<failure> resize_machine::problem() const
{
    if (const auto* const failed = failure_in(one_->result())) return *failed;
    const auto* const last = answer();
    if (last != nullptr && is_set(*last)) return std::nullopt;
    return failure{.what = failure_kind::unavailable, .detail = "others resize it all the time"};
}

}  // namespace pawl::core
