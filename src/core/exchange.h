// One question about a hold, repeated until it is answered or patience ends: release, extend, count,
// check, keep. A machine like the one in acquire.h.
#pragma once

#include "base/clock.h"
#include "core/patience.h"
#include "core/request.h"

#include <chrono>
#include <utility>

namespace pawl::core {

struct exchange_step {
    enum class kind { send, pause, finish };
    kind what{};
    base::boot_time until{};  // send: the answer must be here by then; pause: wait that long
};

class exchange_machine {
public:
    // What the request points to must stay good.
    exchange_machine(request what, std::chrono::milliseconds command_limit,
                     const base::random_unit& random)
        : request_{std::move(what)}, patience_{command_limit, random}
    {
    }

    [[nodiscard]] exchange_step start(base::boot_time now);
    [[nodiscard]] exchange_step on_reply(reply got, base::boot_time now);
    // The time of a step is over. A request without an answer by then may have been executed.
    [[nodiscard]] exchange_step on_time(base::boot_time now);
    [[nodiscard]] exchange_step on_cancel(base::boot_time now);

    [[nodiscard]] const core::request& asked() const noexcept { return request_; }

    // When the request that was answered was sent.
    [[nodiscard]] base::boot_time sent() const noexcept { return sent_; }

    // After `finish`: the answer, or why there is none.
    [[nodiscard]] const reply& result() const noexcept { return result_; }

private:
    exchange_step send(base::boot_time now);
    void settle();

    core::request request_;
    patience patience_;
    base::boot_time sent_{};
    bool sending_ = false;
    bool maybe_executed_ = false;  // some try without an answer
    reply result_;
};

}  // namespace pawl::core
