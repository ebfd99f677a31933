// Giving back, in the background, a lock that may or may not be held at the server, or may be granted
// until a given time because a request is still on its way. A machine like the one in acquire.h.
//
//   start ──▶ send ──no answer──▶ pause ──▶ send …        until the lease would have ended by itself
//              └────answered────▶ pause ──▶ send …        while the request may still arrive
//                    └──────────▶ finish
//
// The pauses after an answer grow: the more often it was not there, the less likely it is to come.
#pragma once

#include "base/clock.h"
#include "core/lease.h"
#include "core/request.h"

#include <chrono>
#include <memory>

namespace pawl::core {

struct give_back_step {
    enum class kind { send, pause, finish };
    kind what{};
    base::boot_time until{};    // pause
    release_request request{};  // send
};

class give_back_machine {
public:
    // `repeated`: a release was sent before, with or without an answer.
    give_back_machine(std::shared_ptr<const lease> lease, base::boot_time wanted_until,
                      bool repeated, std::chrono::milliseconds command_limit);

    [[nodiscard]] give_back_step start(base::boot_time now);
    [[nodiscard]] give_back_step on_reply(const hold_reply& got, base::boot_time now);
    [[nodiscard]] give_back_step on_pause_over() { return send(); }

    // Whether close() waits for it. Not for what only may come at some time.
    [[nodiscard]] bool is_awaited() const noexcept { return awaited_; }

    static constexpr std::chrono::milliseconds shortest_pause{500};
    static constexpr std::chrono::milliseconds longest_pause{4'000};

private:
    [[nodiscard]] give_back_step send();

    std::shared_ptr<const lease> lease_;
    base::boot_time wanted_until_;
    bool repeated_;
    std::chrono::milliseconds command_limit_;
    base::boot_time end_{};            // when the server would have dropped it
    base::boot_time awaited_until_{};  // by close()
    bool awaited_ = true;
    std::chrono::milliseconds pause_ = shortest_pause;
};

}  // namespace pawl::core
