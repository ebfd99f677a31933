// What tests of waiting without blocking start from: a memory server, and one lock that two clients want.
#pragma once

#include "unit/memory_fixture.h"
#include "unit/queue_view.h"

#include <cstdint>

namespace pawl::test {

class contended_memory : public with_memory {
protected:
    // Whether so many came to stand in line at the server.
    [[nodiscard]] bool until_queued(std::int64_t count)
    {
        return eventually([&] { return queue_.length("job") == count; });
    }

    queue_view queue_{server_.url()};
    // One more of the same lock, by another client: it queues at the server.
    client other_{options()};
    mutex wanted_{other_, "job"};
};

}  // namespace pawl::test
