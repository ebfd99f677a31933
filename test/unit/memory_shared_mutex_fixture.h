// The fixture of tests of pawl::shared_mutex on a memory server.
#pragma once

#include "unit/memory_waiters_fixture.h"

#include <utility>

namespace pawl::test {

class memory_shared_mutex : public with_waiters {
protected:
    // Two readers that share a lease. The second one must come within 10 ms, so it may take several tries.
    [[nodiscard]] std::pair<hold, hold> two_on_one_lease()
    {
        while (true) {
            auto first = prices_.acquire_shared();
            auto second = prices_.acquire_shared();
            if (first.id() == second.id()) return {std::move(first), std::move(second)};
        }
    }

    shared_mutex prices_{client_, "prices"};
    shared_mutex others_{other_, "prices"};
    // With this lease, a waiter looks only after hours.
    shared_mutex patient_{other_, "prices", {.lease = 24h}};
};

}  // namespace pawl::test
