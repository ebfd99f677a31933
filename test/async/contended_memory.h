// The fixture of tests that wait without blocking: a memory server, and one lock that two clients
// want.
#pragma once

#include "unit/memory_fixture.h"
#include "unit/queue_view.h"

#include <cstdint>

namespace pawl::test {

class contended_memory : public with_memory {
protected:
    // Whether this many waiters joined the queue at the server.
    [[nodiscard]] bool until_queued(std::int64_t count)
    {
        return eventually([&] { return queue_.length("job") == count; });
    }

    queue_view queue_{server_.url()};
    // A second client for the same lock. It waits in the server's queue.
    client other_{options()};
    mutex wanted_{other_, "job"};
};

}  // namespace pawl::test
