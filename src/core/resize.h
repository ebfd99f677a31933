// The machine that sets the capacity of a semaphore.
//
//   ask for the number of the last resize ──▶ set the capacity after that number ──set──▶ finish
//                                               ▲            │ another resize was executed since
//                                               └────────────┘
//
// The number is always asked for: if it were from an earlier call, a resize that was made between the calls would count
// as later than this one. Another resize may be executed since: by another caller at the same time; by a late copy of
// an older request, whose caller has given up; or by a try of this machine whose answer was lost. In each case the
// capacity is set again. So it has been set when the machine finishes without a failure.
#pragma once

#include "base/clock.h"
#include "core/exchange.h"
#include "core/machine.h"
#include "core/patience.h"
#include "core/request.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::core {

class resize_machine final : public machine {
public:
    // `random` must outlive it.
    resize_machine(std::shared_ptr<const object> what, unsigned capacity,
                   std::chrono::milliseconds command_limit, const base::random_unit& random);

    [[nodiscard]] step start(base::boot_time now) override;
    [[nodiscard]] step on_reply(const reply& got, base::boot_time now) override;
    [[nodiscard]] step on_time(base::boot_time now) override;
    [[nodiscard]] step on_cancel(base::boot_time now, std::string_view why) override;

    // Ends it without an answer: the system has no descriptors left, for example.
    void fail(std::string why) { one_->fail(std::move(why)); }

    // After `finish`, or fail(): the reason why the capacity was not set, or may not have been.
    [[nodiscard]] std::optional<failure> problem() const;

    static constexpr int most_tries = 100;

private:
    void ask();
    [[nodiscard]] step checked(step next, base::boot_time now);
    [[nodiscard]] const resized* answer() const;
    [[nodiscard]] bool is_set(const resized& last) const;

    std::shared_ptr<const object> what_;
    resize_request request_;
    std::chrono::milliseconds command_limit_;
    const base::random_unit* random_;
    int tries_ = 0;
    std::optional<exchange_machine> one_;  // one request, until it is answered
};

}  // namespace pawl::core
