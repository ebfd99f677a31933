// What a script may do, and what it has done so far.
#pragma once

namespace pawl::store::memory {

struct script_limits {
    bool read_only = false;
    bool may_exceed_memory = false;
    bool has_written = false;  // then it may continue when memory is full: half a change is worse
};

}  // namespace pawl::store::memory
