// Moves a slot of a cluster to another primary the classical way (redis-cli --cluster reshard does
// the same), in steps, so that a test can do something between them:
//
//   step          after it
//   begin()       keys that exist are served by the source, others by the target (ASK)
//   move_keys(n)  up to n further keys are at the target
//   finish()      the slot is the target's, and all running nodes know it
#pragma once

#include "support/redis_cluster.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace pawl::test {

// Moves a slot at once: its source goes on serving it until the target has everything. Only Valkey 9 (CLUSTER
// MIGRATESLOTS) and Redis 8.4 (CLUSTER MIGRATION) can do this; throws if the server cannot. Returns when all running
// nodes know the new owner.
void move_slot_at_once(redis_cluster& cluster, std::uint16_t slot, std::size_t from,
                       std::size_t to);

class slot_migration {
public:
    slot_migration(redis_cluster& cluster, std::uint16_t slot, std::size_t from, std::size_t to);

    void begin();

    // Returns how many keys it moved. 0: none was left.
    std::size_t move_keys(std::size_t most);

    void finish();

    // All steps from the first one on.
    void run();

private:
    redis_cluster& cluster_;
    std::string slot_;
    std::uint16_t number_;
    std::size_t from_;
    std::size_t to_;
};

}  // namespace pawl::test
