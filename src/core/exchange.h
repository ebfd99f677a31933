// The machine that sends one request (all but acquire and renew), and repeats it until it is answered or patience
// ends.
#pragma once

#include "base/clock.h"
#include "core/machine.h"
#include "core/patience.h"
#include "core/request.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace pawl::core {

class exchange_machine final : public machine {
public:
    // The objects that the request points to must outlive the machine; `owner` may keep them.
    exchange_machine(exchange_request what, std::chrono::milliseconds command_limit,
                     const base::random_unit& random, std::shared_ptr<const void> owner = nullptr)
        : request_{std::move(what)}, owner_{std::move(owner)}, patience_{command_limit, random}
    {
    }

    [[nodiscard]] step start(base::boot_time now) override;
    [[nodiscard]] step on_reply(const reply& got, base::boot_time now) override;
    [[nodiscard]] step on_time(base::boot_time now) override;
    [[nodiscard]] step on_cancel(base::boot_time now, std::string_view why) override;

    // Ends it without an answer: the system has no descriptors left, for example.
    void fail(std::string why);

    [[nodiscard]] const exchange_request& asked() const noexcept { return request_; }

    // After `finish`: some try without an answer may have been executed, or may still be.
    [[nodiscard]] bool is_uncertain() const noexcept { return maybe_executed_; }

    // When the last try was sent. After an answer: the try that was answered.
    [[nodiscard]] base::boot_time sent() const noexcept { return sent_; }

    // After `finish`: the answer, or the reason why there is none.
    [[nodiscard]] const reply& result() const noexcept { return result_; }

private:
    step send(base::boot_time now);
    void settle();

    exchange_request request_;
    std::shared_ptr<const void> owner_;
    patience patience_;
    base::boot_time sent_{};
    bool sending_ = false;
    bool maybe_executed_ = false;  // some try without an answer may have been executed
    reply result_;
};

}  // namespace pawl::core
