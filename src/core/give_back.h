// The machine that gives a lock back in the background. The server may or may not have granted the lock. It
// may also still grant it, until a given time, because a request is on its way.
//
//   start ──▶ send ──no answer──▶ pause ──▶ send …        until the lease would have ended by itself; of a waiter
//              │                                          for a condition: until it is answered
//              └────answered────▶ pause ──▶ send …        while the request may still arrive, and once in any case
//                    └──────────▶ finish                  if there was such a request
//
// Why once in any case: the request and its repetition may each have got a place in the queue, if more than 500
// other waiters came between them. Then the first release hands the lock over to the second place of the same
// holder, or leaves that place in the queue. The second release removes it.
//
// The pauses after an answer grow: the longer the request has not arrived, the less likely it is to arrive.
//
// A waiter for a condition may have been notified. That does not end with its lease: without an answer, the next
// waiter may sleep for ever. So the machine goes on, with growing pauses, until the client is closed.
#pragma once

#include "base/clock.h"
#include "core/lease.h"
#include "core/machine.h"
#include "core/request.h"

#include <chrono>
#include <memory>
#include <string_view>

namespace pawl::core {

// Whether a release was sent before, with or without an answer.
enum class giving { first_time, again };

class give_back_machine final : public machine {
public:
    // `wanted_until`: a request on its way is not executed after this time.
    give_back_machine(std::shared_ptr<const lease> lease, base::boot_time wanted_until, giving how,
                      std::chrono::milliseconds command_limit);

    [[nodiscard]] step start(base::boot_time now) override;
    [[nodiscard]] step on_reply(const reply& got, base::boot_time now) override;
    [[nodiscard]] step on_time(base::boot_time now) override;
    [[nodiscard]] step on_cancel(base::boot_time now, std::string_view why) override;

    [[nodiscard]] step answered(const hold_reply& got, base::boot_time now);

    // Whether lease_keeper::close() still waits for this machine: until it has finished, but for no more
    // than about two command limits. A delayed request may arrive much later than that.
    [[nodiscard]] bool is_awaited() const noexcept { return awaited_; }

    static constexpr std::chrono::milliseconds shortest_pause{500};
    static constexpr std::chrono::milliseconds longest_pause{4'000};

private:
    [[nodiscard]] step send(base::boot_time now);
    [[nodiscard]] bool ends_by_itself() const noexcept;
    [[nodiscard]] std::chrono::milliseconds next_pause() noexcept;

    std::shared_ptr<const lease> lease_;
    base::boot_time wanted_until_;
    bool repeated_;
    bool once_more_;         // one answer is not enough
    bool executed_ = false;  // the server said that it has executed a release
    bool sending_ = false;
    std::chrono::milliseconds command_limit_;
    base::boot_time end_{};            // when the lease has ended by itself on the server
    base::boot_time awaited_until_{};  // how long close() waits
    bool awaited_ = true;
    std::chrono::milliseconds pause_ = shortest_pause;
};

}  // namespace pawl::core
