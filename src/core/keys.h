// The names under which one lock lies on the server.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pawl::core {

struct lock_keys {
    std::string lock;  // the name itself, so that other libraries can share the lock
    // In the same slot of a cluster.
    std::string fence;    // pawl:fence:{…}
    std::string queue;    // pawl:queue:{…}
    std::string waiters;  // pawl:waiters:{…}
};

// All keys of the lock `name`, which must be a good one.
[[nodiscard]] lock_keys keys_of(std::string_view name);

// Throws pawl::error (bad_argument) unless `name` is 1 to 512 bytes without NUL. `what` is what the
// message calls it: "lock name", "holder".
void check_name(std::string_view what, std::string_view name);

// The part of a key that Redis Cluster hashes, and the slot it falls into.
[[nodiscard]] std::string_view hash_tag(std::string_view key) noexcept;
[[nodiscard]] std::uint16_t hash_slot(std::string_view key) noexcept;

}  // namespace pawl::core
