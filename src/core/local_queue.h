// The callers in one process that want the same lock, in the order of arrival. At most one of them asks the
// server for all. The lock that it gets is passed on to the others.
//
//   state     meaning                                      a caller that arrives
//   absent    this process does not have the lease         asks the server; waits if others are in line
//   asking    absent, and one caller asks the server       waits
//   held      a caller has the lock, or the server is      waits
//             asked whether the lock may stay here
//   idle      the lease is here, no caller has the lock    takes the lock, unless it is reserved
//
// core::local_line has the callers that wait, and their patience. The first in line is woken when the lock is
// idle or absent, and looks again.
//
// Overtaking. A caller that arrives may take an idle lock before the woken caller looks. This makes passing
// on cheap. When the lock is passed on 1 ms or more after the first in line was first woken, it is reserved
// for that caller.
//
// Patience is as in core::local_line. In one case it takes longer: if the lock is lost while the server is
// asked whether it may stay, the next caller asks with a full command limit.
//
// Keeping. Waiters of other clients may be in the server's queue. So after 1000 passes, or 10 ms after the
// server last granted the lock or let it stay, the server is asked whether the lock may stay. It is also
// asked when no number is left to pass the lock on with.
//
// The queue has no clock, no thread and no lock.
#pragma once

#include "base/clock.h"
#include "core/local_line.h"
#include "core/patience.h"

#include <chrono>
#include <optional>

namespace pawl::core {

class local_queue {
public:
    using ticket = local_line::ticket;

    enum class turn {
        take,     // the lock is idle: the caller has it now
        ask,      // the caller asks the server
        wait,     // the caller may line up, or stays in line
        give_up,  // only from look(): the server does not answer
    };

    // A caller arrives.
    [[nodiscard]] turn arrive();

    // The caller waits, with this ticket.
    [[nodiscard]] ticket line_up() { return line_.join(); }

    // A caller in line looks whether it is its turn. Unless the answer is `wait` the ticket is used up.
    [[nodiscard]] turn look(ticket who);

    // A caller in line gives up.
    void leave(ticket who);

    // The caller to wake now, if any. No caller is returned twice before it has looked.
    [[nodiscard]] std::optional<ticket> to_wake(base::boot_time now);

    // The server answered the caller that asked, or it failed for a reason that concerns no other caller.
    void asked() noexcept { line_.asked(); }

    // The server did not answer the caller that asked. Returns true if patience is over: then all callers
    // in line must give up, and the owner of the queue wakes them.
    [[nodiscard]] bool asked_in_vain(silence seen, base::boot_time now) noexcept;

    // The server was asked whether the lock may stay, and did not answer for a whole command limit. The
    // lock is absent now. Returns true if all callers in line must give up, as above.
    [[nodiscard]] bool kept_in_vain() noexcept;

    // For the caller whose turn it is to ask: how long the server has not answered the callers before it.
    [[nodiscard]] base::boot_clock::duration silent_before() const noexcept
    {
        return line_.silent_before();
    }

    // The server granted the lock: it is held now.
    void granted(base::boot_time now) noexcept;

    // The server lets the lock stay: it is idle now.
    void kept(base::boot_time now) noexcept;

    // The lock was given back, handed over or lost: it is absent now.
    void gone() noexcept { lock_ = state::absent; }

    enum class ending {
        pass_on,    // the lock is idle now, and a caller is in line
        linger,     // the lock is idle now, and no caller is in line
        keep,       // ask the server whether the lock may stay
        give_back,  // give the lock back to the server
    };
    struct condition {
        bool sound;      // the lease is not in jeopardy, and enough of it is left
        bool has_fence;  // there is a number left to pass the lock on with
        bool lingers;    // the lock may stay although no caller wants it
    };
    // The holder releases the lock. After `keep` and `give_back` the state is still held, until kept(),
    // kept_in_vain() or gone() is called.
    [[nodiscard]] ending release(condition now_is, base::boot_time now);

    [[nodiscard]] bool is_idle() const noexcept { return lock_ == state::idle; }
    [[nodiscard]] bool has_waiters() const noexcept { return !line_.empty(); }

    // How many times, and for how long, the lock is passed on before the server is asked.
    static constexpr unsigned most_passes = 1'000;
    static constexpr std::chrono::milliseconds longest_passing{10};

    // How long the first in line may be overtaken after it was first woken.
    static constexpr std::chrono::milliseconds longest_overtaken{1};

private:
    enum class state { absent, held, idle };

    void remove_first(ticket who);
    [[nodiscard]] bool give_up_all() noexcept;

    state lock_ = state::absent;
    local_line line_;

    // About the first in line.
    std::optional<base::boot_time> woken_at_;  // when it was first woken
    bool reserved_ = false;                    // only it may take the idle lock

    unsigned passes_ = 0;           // since granted_at_
    base::boot_time granted_at_{};  // when the server last granted the lock or let it stay
};

}  // namespace pawl::core
