// Acquiring a lock, as a machine: it is told what happened and when, and says what to do next.
//
//   start ──▶ send ──granted──▶ finish
//              ▲ └───busy─────▶ pause ──▶ send …           until the caller's limit
//              │ └──no answer─▶ pause (back-off) ──▶ send  until patience ends
//              └── a grant that came too late to be of use is asked for again
//
// It owns no clock, no socket and no randomness.
#pragma once

#include "base/clock.h"
#include "core/operation.h"
#include "core/patience.h"

#include <pawl/error.h>
#include <pawl/options.h>
#include <pawl/time_limit.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::core {

struct acquire_plan {
    const lock_keys* keys{};
    std::string_view holder;
    pawl::layout layout{};
    std::chrono::milliseconds lease{};
    std::chrono::milliseconds poll_interval{};
    std::chrono::milliseconds command_limit{};
    double drift{};
    time_limit limit = time_limit::now();

    // The holder was made for this request alone: to find it in place means that an earlier try was
    // granted. If not, a try that may have been executed cannot be repeated.
    bool own_holder = true;
};

struct acquire_step {
    enum class kind { send, pause, finish };
    kind what{};
    base::boot_time until{};  // send: the answer must be here by then; pause: wait that long
    operation request{};      // send
};

// After `finish`.
struct acquire_result {
    std::optional<errc> failure;  // nothing: granted
    std::string detail;
    std::uint64_t fence{};
    base::boot_time sent{};  // when the request that was granted was sent

    // Not granted, but the server may think so, now or when a delayed request arrives: release it.
    bool uncertain = false;
    base::boot_time wanted_until{};  // later than that it is not executed any more
};

class acquire_machine {
public:
    acquire_machine(const acquire_plan& plan, const base::random_unit& random);

    [[nodiscard]] acquire_step start(base::boot_time now);
    [[nodiscard]] acquire_step on_outcome(const outcome& got, base::boot_time now);
    [[nodiscard]] acquire_step on_pause_over(base::boot_time now);
    [[nodiscard]] acquire_step on_cancel();

    [[nodiscard]] const acquire_result& result() const noexcept { return result_; }

private:
    acquire_step send(base::boot_time now);
    [[nodiscard]] static acquire_step pause(base::boot_time until);
    acquire_step finish(errc failure, std::string detail);
    acquire_step on_grant(const outcome& got, base::boot_time now);
    acquire_step on_busy(const outcome& got, base::boot_time now);
    acquire_step on_no_answer(const outcome& got, base::boot_time now);

    acquire_plan plan_;
    const base::random_unit* random_;
    patience patience_;
    base::boot_time limit_{};  // until when to wait for others
    base::boot_time sent_{};
    base::boot_time wanted_until_{};
    bool uncertain_ = false;  // some try may have been executed without an answer
    bool seen_busy_ = false;
    bool waiting_ = false;  // pausing because it was busy
    acquire_result result_;
};

}  // namespace pawl::core
