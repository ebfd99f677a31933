// The fixture of tests of leaders over a memory server: two clients of one election.
#pragma once

#include "unit/memory_waiters_fixture.h"

#include <pawl/leader.h>

#include <cstdint>
#include <future>
#include <string>
#include <utility>

namespace pawl::test {

class memory_leader : public with_waiters {
protected:
    // Another thread campaigns. When this returns, it waits, as the last of `all`.
    [[nodiscard]] std::future<leader::term> candidate(leader& where, std::string payload,
                                                      std::int64_t all = 1)
    {
        auto waits = std::async(std::launch::async, [&where, payload = std::move(payload)] {
            return where.campaign(payload);
        });
        EXPECT_TRUE(eventually([&] { return queue_.length("primary") == all; }));
        return waits;
    }

    // Another thread waits for a change. When this returns, it is in the queue of watchers.
    [[nodiscard]] std::future<void> watcher(std::uint64_t seen, std::int64_t all = 1)
    {
        auto waits =
            std::async(std::launch::async, [&, seen] { theirs_.changed_since(seen).wait(); });
        EXPECT_TRUE(eventually([&] { return queue_.watchers("primary") == all; }));
        return waits;
    }

    // What other processes see; "-" if nobody leads.
    [[nodiscard]] std::string seen()
    {
        const auto now = theirs_.current();
        return now ? now->payload : "-";
    }

    leader mine_{client_, "primary", {.lease = 3s}};
    leader theirs_{other_, "primary", {.lease = 3s}};
};

}  // namespace pawl::test
