// The state of a pawl::once_per. To begin a run is to acquire an object that can be acquired once in a period.
#pragma once

#include "sync/lock_state.h"

#include <pawl/once_per.h>

class pawl::once_per::state final : public sync::lock_state {
public:
    using lock_state::lock_state;
};
