// The fixture of tests of client::metrics() on a memory server.
#pragma once

#include "unit/memory_waiters_fixture.h"

#include <string_view>

namespace pawl::test {

class memory_metrics : public with_waiters {
protected:
    [[nodiscard]] client_options with_names()
    {
        auto made = options();
        made.measured_locks = {"job", "other"};
        return made;
    }

    [[nodiscard]] lock_metrics all() const { return measured_.metrics().all; }
    [[nodiscard]] lock_metrics of(std::string_view lock) const
    {
        return measured_.metrics().locks.at(std::string{lock});
    }

    client measured_{with_names()};
    mutex job_{measured_, "job"};
    mutex theirs_{client_, "job"};
};

}  // namespace pawl::test
