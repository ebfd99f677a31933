// Giving back, in the background, a lock that may or may not be held at the server, or may be granted
// until a given time because a request is still on its way.
//
//   start ──▶ send ──no answer──▶ pause ──▶ send …        until the lease would have ended by itself
//              └────answered────▶ pause ──▶ send …        while the request may still arrive
//                    └──────────▶ finish
//
// The pauses after an answer grow: the more often it was not there, the less likely it is to come.
#pragma once

#include "base/clock.h"
#include "core/lease.h"
#include "core/machine.h"
#include "core/request.h"

#include <chrono>
#include <memory>
#include <string_view>

namespace pawl::core {

class give_back_machine final : public machine {
public:
    // `repeated`: a release was sent before, with or without an answer.
    give_back_machine(std::shared_ptr<const lease> lease, base::boot_time wanted_until,
                      bool repeated, std::chrono::milliseconds command_limit);

    [[nodiscard]] step start(base::boot_time now) override;
    [[nodiscard]] step on_reply(const reply& got, base::boot_time now) override;
    [[nodiscard]] step on_time(base::boot_time now) override;
    [[nodiscard]] step on_cancel(base::boot_time now, std::string_view why) override;

    // The answer to a release.
    [[nodiscard]] step answered(const hold_reply& got, base::boot_time now);

    // Whether close() waits for it. It does not wait for a request that may arrive or not.
    [[nodiscard]] bool is_awaited() const noexcept { return awaited_; }

    static constexpr std::chrono::milliseconds shortest_pause{500};
    static constexpr std::chrono::milliseconds longest_pause{4'000};

private:
    [[nodiscard]] step send(base::boot_time now);

    std::shared_ptr<const lease> lease_;
    base::boot_time wanted_until_;
    bool repeated_;
    bool sending_ = false;
    std::chrono::milliseconds command_limit_;
    base::boot_time end_{};            // when the server would have dropped it
    base::boot_time awaited_until_{};  // by close()
    bool awaited_ = true;
    std::chrono::milliseconds pause_ = shortest_pause;
};

}  // namespace pawl::core
