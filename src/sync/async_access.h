// What asynchronous calls must know of locks and holds.
#pragma once

#include "sync/grant.h"
#include "sync/lock_state.h"

#include <pawl/hold.h>
#include <pawl/lockable.h>

#include <memory>
#include <utility>

namespace pawl {

struct async_access {
    static sync::lock_state& state(lockable& lock) { return *lock.state_; }

    static hold make(sync::grant_ptr granted) { return hold{std::move(granted)}; }

    // What it holds, if anything.
    static sync::grant_ptr look_at(const hold& what)
    {
        return what.active_ ? what.grant_ : nullptr;
    }

    // The same; it holds nothing then.
    static sync::grant_ptr take(hold& what)
    {
        return what.active_.exchange(false) ? what.grant_ : nullptr;
    }
};

}  // namespace pawl
