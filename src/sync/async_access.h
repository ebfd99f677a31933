// Access to the private state of locks, holds, latches and barriers, for other parts of the library.
#pragma once

#include "sync/gates.h"
#include "sync/grant.h"
#include "sync/lock_state.h"
#include "sync/once_state.h"
#include "sync/waitable_state.h"

#include <pawl/acquirable.h>
#include <pawl/barrier.h>
#include <pawl/condition_variable.h>
#include <pawl/counting_semaphore.h>
#include <pawl/hold.h>
#include <pawl/latch.h>
#include <pawl/leader.h>
#include <pawl/once_per.h>
#include <pawl/time_limit.h>
#include <pawl/waitable.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <system_error>
#include <utility>

namespace pawl {

struct async_access {
    static sync::lock_state& state(acquirable& lock) { return *lock.state_; }
    static const sync::lock_state& state(const acquirable& lock) { return *lock.state_; }

    // Throws pawl::error if it is an empty arrival or change.
    static sync::lock_state& state(const waitable& what) { return what.mine(); }

    static sync::lock_state& state(once_per& what) { return *what.state_; }

    // Defined where condition_state.h is included.
    static auto& state(condition_variable& what) { return *what.state_; }

    // Defined in leader.cpp and counting_semaphore.cpp.
    static auto& election(leader& what) { return *what.election_; }
    static auto& amounts(counting_semaphore& what) { return *what.amounts_; }

    static sync::gate_arrivals& arrivals(latch& what) { return *what.arrivals_; }
    static sync::gate_arrivals& arrivals(barrier& what) { return *what.arrivals_; }

    static barrier::arrival make(const sync::gate_arrivals& where, std::uint64_t phase)
    {
        return barrier::arrival{
            std::make_unique<waitable::state>(where.client(), where.waiting_for(phase))};
    }

    // Public functions of acquirable wrap these for each kind of limit.
    static std::optional<hold> acquire_within(acquirable& lock, time_limit limit,
                                              const std::stop_token& stop)
    {
        return lock.try_acquire_within(limit, stop);
    }
    static std::optional<hold> acquire_within(acquirable& lock, time_limit limit,
                                              const std::stop_token& stop,
                                              std::error_code& ec) noexcept
    {
        return lock.try_acquire_within(limit, stop, ec);
    }

    static hold make(sync::grant_ptr granted) { return hold{std::move(granted)}; }

    // The grant of the hold, also after its release; nullptr if it was always empty, or moved from.
    static const sync::grant_ptr& granted(const hold& what) { return what.grant_; }

    // The grant of the hold; nullptr if the hold is empty.
    static sync::grant_ptr look_at(const hold& what)
    {
        return what.is_in() ? what.grant_ : nullptr;
    }

    // The same. Afterwards the hold is empty.
    static sync::grant_ptr take(hold& what) { return what.end() ? what.grant_ : nullptr; }
};

}  // namespace pawl
