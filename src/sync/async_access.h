// Access to the private state of locks and holds, for other parts of the library.
#pragma once

#include "sync/grant.h"
#include "sync/lock_state.h"

#include <pawl/acquirable.h>
#include <pawl/hold.h>

#include <memory>
#include <utility>

namespace pawl {

struct async_access {
    static sync::lock_state& state(acquirable& lock) { return *lock.state_; }

    static hold make(sync::grant_ptr granted) { return hold{std::move(granted)}; }

    // The grant of the hold; nullptr if the hold is empty.
    static sync::grant_ptr look_at(const hold& what)
    {
        return what.active_ ? what.grant_ : nullptr;
    }

    // The same. Afterwards the hold is empty.
    static sync::grant_ptr take(hold& what)
    {
        return what.active_.exchange(false) ? what.grant_ : nullptr;
    }
};

}  // namespace pawl
