// What all machines of the core have in common. A machine is told what happened and when, and answers
// with the next step. It has no thread, no socket, no clock and no randomness of its own, so a unit test
// can write down any order of events.
//
//   start ──▶ step ──▶ on_reply / on_time / on_cancel ──▶ step … ──▶ finish
//
// Two drivers run a machine: one in a thread that waits, one on the client's event loop (src/sync/).
#pragma once

#include "base/clock.h"
#include "core/request.h"

#include <string_view>

namespace pawl::core {

struct step {
    enum class kind {
        send,   // send the request; its answer must be here by `until`
        pause,  // do nothing until then
        wait,  // the same, but a message from the store may end it: a thread that waits helps the loop
        finish,  // the machine has its result
    };
    kind what{};
    base::boot_time until{};
    core::request request{};  // send
};

class machine {
public:
    machine() = default;
    virtual ~machine() = default;

    [[nodiscard]] virtual step start(base::boot_time now) = 0;

    [[nodiscard]] virtual step on_reply(const reply& got, base::boot_time now) = 0;

    // The time of the step is over, or a bell ended a pause or a wait. A request without an answer by then
    // may have been executed, or may be executed later.
    [[nodiscard]] virtual step on_time(base::boot_time now) = 0;

    // The caller gives up; this may be before start(). The next step is `finish`. `why` is a detail for
    // the caller, or empty.
    [[nodiscard]] virtual step on_cancel(base::boot_time now, std::string_view why) = 0;

protected:
    machine(const machine&) = default;
    machine& operator=(const machine&) = default;
    machine(machine&&) = default;
    machine& operator=(machine&&) = default;
};

}  // namespace pawl::core
