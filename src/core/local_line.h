// The callers of one process that wait for the same lock, in the order of arrival. At most one caller at a
// time asks the server, for all of them. The one that asks is not in line.
//
// Waking. Only the first in line is woken. It is not woken a second time before it has looked.
//
// Patience. All callers in line share one command limit in which the server must answer. When it is over,
// all of them give up together with the caller that asked. If that caller gives up sooner, the next one asks
// for the rest of the time. A caller that arrives after all have given up starts a new command limit.
//
// The line has no clock, no thread and no lock.
#pragma once

#include "base/clock.h"

#include <cstdint>
#include <optional>
#include <set>

namespace pawl::core {

class local_line {
public:
    using ticket = std::uint64_t;

    // A caller joins the line, with this ticket.
    [[nodiscard]] ticket join();

    // It leaves the line: its turn has come, or it waits no more.
    void remove(ticket who);

    // All leave the line, because their turn has come.
    [[nodiscard]] std::set<ticket> remove_all();

    [[nodiscard]] bool empty() const noexcept { return line_.empty(); }
    [[nodiscard]] bool is_first(ticket who) const noexcept { return *line_.begin() == who; }

    // The first in line, to be woken. None if it was woken already and has not looked since.
    [[nodiscard]] std::optional<ticket> wake_first();
    void first_looks() noexcept { woken_ = false; }

    // ── Asking the server ───────────────────────────────────────────────────────────────────────

    // A caller begins to ask: one that has just arrived, or the first in line, which is removed after that.
    void begin_to_ask() noexcept;

    [[nodiscard]] bool is_asking() const noexcept { return asking_; }

    // How long the server has not answered the callers that asked before.
    [[nodiscard]] base::boot_clock::duration silent_before() const noexcept { return silent_for_; }

    // The server answered the caller that asked, or it failed for a reason that concerns no other caller.
    void asked() noexcept;

    // The server gave no answer to the caller that asked, and there is patience left for the next one.
    void note_silence(base::boot_time since, base::boot_time now) noexcept
    {
        silent_for_ = now - since;
    }

    // The server gives signs of life.
    void answered() noexcept { silent_for_ = {}; }

    // Patience is over. All callers in line must give up: the owner of the line wakes them.
    void give_up() noexcept;
    [[nodiscard]] bool must_give_up(ticket who) const noexcept { return who <= last_in_vain_; }

private:
    bool asking_ = false;
    base::boot_clock::duration silent_for_{};
    std::set<ticket> line_;  // tickets grow, so the smallest came first
    ticket last_ticket_ = 0;
    ticket last_in_vain_ = 0;  // callers with tickets up to this one must give up
    bool woken_ = false;       // the first in line was woken, and has not looked since
};

}  // namespace pawl::core
