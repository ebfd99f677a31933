// The state of a pawl::waitable. To wait is to acquire an object that gives nothing to hold.
#pragma once

#include "sync/lock_state.h"

#include <pawl/waitable.h>

class pawl::waitable::state final : public sync::lock_state {
public:
    using lock_state::lock_state;
};
