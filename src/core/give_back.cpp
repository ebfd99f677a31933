#include "core/give_back.h"

#include "base/mutant.h"

#include <algorithm>
#include <utility>

namespace pawl::core {

using base::boot_time;
using kind = step::kind;

give_back_machine::give_back_machine(std::shared_ptr<const lease> lease, boot_time wanted_until,
                                     giving how, std::chrono::milliseconds command_limit)
    : lease_{std::move(lease)},
      wanted_until_{wanted_until},
      repeated_{how == giving::again},
      once_more_{wanted_until != boot_time{}},
      command_limit_{command_limit}
{
}

step give_back_machine::start(boot_time now)
{
    const auto lasts = now + std::max(lease_->length, lease_->longest.load());
    end_ = std::max(lasts, wanted_until_ + 2 * shortest_pause);
    awaited_until_ = now + 2 * command_limit_;
    return send(now);
}

step give_back_machine::send(boot_time now)
{
    sending_ = true;
    auto asked = lease_->release();
    if (std::exchange(repeated_, true)) asked.forget_numbers();
    // If a begin arrives after its run was ended, its caller knows nothing of the second run.
    if (executed_) asked.used_up = false;
    return {.what = kind::send, .until = now + command_limit_, .request = asked};
}

bool give_back_machine::ends_by_itself() const noexcept
{
    return lease_->what->condition == nullptr || base::is(base::mutant::condition_leaves_briefly);
}

std::chrono::milliseconds give_back_machine::next_pause() noexcept
{
    return std::exchange(pause_, std::min(2 * pause_, longest_pause));
}

step give_back_machine::on_time(boot_time now)
{
    if (!sending_) return send(now);
    return answered(failure{.what = failure_kind::no_reply, .maybe_executed = true}, now);
}

// Nothing more is sent: the lease ends by itself on the server. A notification of a waiter for a condition is lost.
step give_back_machine::on_cancel(boot_time /*now*/, std::string_view /*why*/)
{
    awaited_ = false;
    return {.what = kind::finish};
}

step give_back_machine::on_reply(const reply& got, boot_time now)
{
    return answered(std::get<hold_reply>(got), now);
}

step give_back_machine::answered(const hold_reply& got, boot_time now)
{
    sending_ = false;
    const auto* const problem = std::get_if<failure>(&got);
    if (problem == nullptr) executed_ = true;
    const bool answered = problem == nullptr || is_answer(problem->what);
    const bool may_come =
        now <= wanted_until_ + shortest_pause || (answered && std::exchange(once_more_, false));
    auto again = now + shortest_pause;
    if (answered) {
        // The last release is sent when no request can arrive any more.
        again = std::min(now + next_pause(), wanted_until_ + shortest_pause);
        again = std::max(again, now + shortest_pause);
    } else if (!ends_by_itself()) {
        again = now + next_pause();
    }
    const bool ended = again >= end_ && (answered || ends_by_itself());
    const bool over = (answered && !may_come) || ended;
    if (over || now >= awaited_until_) awaited_ = false;
    if (over) return {.what = kind::finish};
    return {.what = kind::pause, .until = again};
}

}  // namespace pawl::core
