#include "core/exchange.h"

#include "base/mutant.h"

#include <string>
#include <utility>

namespace pawl::core {

using kind = step::kind;

step exchange_machine::start(base::boot_time now)
{
    patience_.restart(now);
    return send(now);
}

step exchange_machine::send(base::boot_time now)
{
    sent_ = now;
    sending_ = true;
    if (base::is(base::mutant::arrival_numbered_anew)) {
        if (auto* const arrival = std::get_if<arrive_request>(&request_)) ++arrival->number;
    }
    return {.what = kind::send, .until = patience_.try_until(now), .request = request_};
}

step exchange_machine::on_reply(const reply& got, base::boot_time now)
{
    sending_ = false;
    result_ = got;
    const auto* const problem = failure_in(result_);
    if (problem == nullptr || is_answer(problem->what)) {
        if (base::is(base::mutant::d3_renewal_from_reply)) sent_ = now;
        settle();
        return {.what = kind::finish};
    }
    maybe_executed_ |= problem->maybe_executed;
    if (maybe_executed_) {
        if (auto* const release = std::get_if<release_request>(&request_)) {
            release->forget_numbers();
        } else if (auto* const wait = std::get_if<wait_request>(&request_)) {
            wait->release.forget_numbers();
        }
    }
    const auto again = patience_.next_try(now);
    if (!again || problem->what == failure_kind::cancelled) {
        settle();
        return {.what = kind::finish};
    }
    return {.what = kind::pause, .until = *again};
}

step exchange_machine::on_time(base::boot_time now)
{
    if (!sending_) return send(now);
    const failure late{
        .what = failure_kind::no_reply, .detail = "no answer", .maybe_executed = true};
    return on_reply(failed(request_, late), now);
}

step exchange_machine::on_cancel(base::boot_time now, std::string_view why)
{
    return on_reply(failed(request_, {.what = failure_kind::cancelled, .detail = std::string{why}}),
                    now);
}

void exchange_machine::fail(std::string why)
{
    // The try that is under way may have been sent.
    maybe_executed_ |= std::exchange(sending_, false);
    result_ = failed(request_, {.what = failure_kind::unreachable,
                                .detail = std::move(why),
                                .maybe_executed = maybe_executed_});
    settle();
}

// If the first answer to a release got lost, the second try finds the lock gone. Most likely the first try
// released it, and in any case the caller wanted it to be gone. So the result is success, not an error. The
// same applies to a keep or yield request, which may have handed the lock over.
void exchange_machine::settle()
{
    if (!maybe_executed_ || base::is(base::mutant::d18_release_error)) return;
    const auto gone = [](const auto& got) {
        const auto* const status = std::get_if<hold_status>(&got);
        return status != nullptr &&
               (*status == hold_status::vanished || *status == hold_status::taken);
    };
    if (std::holds_alternative<release_request>(request_)) {
        if (gone(std::get<hold_reply>(result_))) result_ = hold_reply{hold_status::done};
    } else if (std::holds_alternative<keep_request>(request_)) {
        if (gone(std::get<keep_reply>(result_))) result_ = keep_reply{handed_over{}};
    } else if (std::holds_alternative<yield_request>(request_)) {
        auto& got = std::get<yield_reply>(result_);
        if (gone(got)) got = handed_over{};
        // A try without an answer may have been executed, or may yet be.
        if (auto* const problem = std::get_if<failure>(&got)) problem->maybe_executed = true;
    } else if (std::holds_alternative<arrive_request>(request_)) {
        // An error of the server, for example because its memory is full, says nothing about the tries before.
        auto* const problem = std::get_if<failure>(&std::get<arrive_reply>(result_));
        if (problem != nullptr && problem->maybe_executed) problem->what = failure_kind::no_reply;
    }
}

}  // namespace pawl::core
