// Those of one process who want one lock, in order: at most one of them goes to the server, and what he
// gets is passed on to the others.
//
//   the lock is      and who arrives
//   absent           asks the server, if nobody does yet; else waits
//   held             waits
//   idle             takes it: nobody has it at the moment, but the lease is here
//
// Who waits is woken in the order of arrival, and looks again. Newcomers may be quicker than someone who
// has to be woken, which makes passing on cheap; but nobody is overtaken for longer than a moment.
//
// All who wait share one patience with the server. If it gives no answer for a whole command limit, all of
// them are told, and not only the one who asked. If that one gives up sooner, the next asks for the rest
// of the limit. Who comes later begins anew. One case takes longer: a lock that is lost while the server
// is asked whether it may stay. The next then asks with a patience of its own.
//
// Others wait at the server, perhaps: so after some passes, or some time, the server is asked whether the
// lock may stay. Like all machines this one has no clock, no thread and no lock of its own.
#pragma once

#include "base/clock.h"
#include "core/patience.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>

namespace pawl::core {

class local_queue {
public:
    using ticket = std::uint64_t;

    enum class turn {
        take,
        ask,
        wait,
        give_up,  // only from look(): the server is silent
    };

    // Someone arrives.
    [[nodiscard]] turn arrive();

    // He waits, with this ticket.
    [[nodiscard]] ticket line_up();

    // Someone who waits looks whether it is their turn. Unless the answer is `wait` the ticket is used up.
    [[nodiscard]] turn look(ticket who);

    // He gives up.
    void leave(ticket who);

    // Who is to be woken now, so that he looks; nobody twice, until he has looked.
    [[nodiscard]] std::optional<ticket> to_wake(base::boot_time now);

    // Who asked the server has its answer, or failed for a reason that concerns nobody else.
    void asked() noexcept;

    // Who asked has no answer. If patience is over, all who wait have to give up: returns true, and
    // they are to be woken.
    [[nodiscard]] bool asked_in_vain(silence seen, base::boot_time now) noexcept;

    // It is absent: the server was asked for a whole command limit whether it may stay. Else as above.
    [[nodiscard]] bool kept_in_vain() noexcept;

    // For how long those before had asked in vain when the caller's turn to ask came.
    [[nodiscard]] base::boot_clock::duration silent_before() const noexcept { return silent_for_; }

    // It is held: the server granted it.
    void granted(base::boot_time now) noexcept;

    // It is idle: the server lets it stay.
    void kept(base::boot_time now) noexcept;

    // It is absent: given back, handed over or lost.
    void gone() noexcept { lock_ = state::absent; }

    enum class ending {
        pass_on,    // it is idle now, for the next
        linger,     // it is idle now, for whoever comes
        keep,       // ask the server whether it may stay
        give_back,  // to the server
    };
    struct condition {
        bool sound;      // of the lease: nothing is wrong with it, and enough is left
        bool has_fence;  // there is a number left to pass it on with
        bool lingers;    // it may stay without anyone wanting it
    };
    // Its holder has no use for it any more.
    [[nodiscard]] ending release(condition now_is, base::boot_time now);

    [[nodiscard]] bool is_idle() const noexcept { return lock_ == state::idle; }
    [[nodiscard]] bool has_waiters() const noexcept { return !line_.empty(); }

    // How many times, and for how long, it is passed on before the server is asked.
    static constexpr unsigned most_passes = 1'000;
    static constexpr std::chrono::milliseconds longest_passing{10};

    // For how long someone who waits may be overtaken once he was woken.
    static constexpr std::chrono::milliseconds longest_overtaken{1};

private:
    enum class state { absent, held, idle };

    void served() noexcept;  // the first in line
    [[nodiscard]] bool give_up_all() noexcept;

    state lock_ = state::absent;
    bool asking_ = false;
    base::boot_clock::duration silent_for_{};
    std::set<ticket> line_;  // they grow, so the first is the one that came first
    ticket last_ticket_ = 0;
    ticket last_in_vain_ = 0;  // those up to here have to give up

    // Of the first in line.
    bool woken_ = false;                       // and has not looked since
    std::optional<base::boot_time> woken_at_;  // for the first time
    bool reserved_ = false;                    // it is idle for him alone

    unsigned passes_ = 0;
    base::boot_time asked_at_{};  // when the server last let us have it
};

}  // namespace pawl::core
