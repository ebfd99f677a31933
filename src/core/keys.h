// The names under which one lock lies on the server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pawl::core {

// Of one lock. There may be a million, so what follows from the name is made when it is written.
struct lock_keys {
    std::string lock;  // the name itself, so that other libraries can share the lock

    // For a name that has a } but no hash tag: the smallest number in its slot. Looking for that
    // takes long. Else -1.
    std::int32_t number = -1;

    // In the same slot of a cluster.
    [[nodiscard]] std::string fence() const;    // pawl:fence:{…}
    [[nodiscard]] std::string queue() const;    // pawl:queue:{…}
    [[nodiscard]] std::string waiters() const;  // pawl:waiters:{…}
};

inline constexpr std::string_view fence_prefix = "pawl:fence:";
inline constexpr std::string_view queue_prefix = "pawl:queue:";
inline constexpr std::string_view waiters_prefix = "pawl:waiters:";

// What follows these, made without an allocation. Good for as long as the keys are.
class key_tail {
public:
    explicit key_tail(const lock_keys& keys) noexcept;
    key_tail(const key_tail&) = delete;
    key_tail& operator=(const key_tail&) = delete;
    ~key_tail() = default;

    [[nodiscard]] std::size_t size() const noexcept;
    void append_to(std::string& out) const;

private:
    char digits_[10]{};
    std::string_view tag_;
    std::string_view name_;  // nothing if the tag is all of it
};

// All keys of the lock `name`, which must be a good one.
[[nodiscard]] lock_keys keys_of(std::string_view name);

// Makes a holder of 32 random digits: the first becomes a p. Other libraries write digits there, or
// tokens of another length, so that everyone can tell who tells the next one when it leaves.
[[nodiscard]] std::string make_holder(std::string random_digits);

// Throws pawl::error (bad_argument) unless `name` is 1 to 512 bytes without NUL. `what` is what the
// message calls it: "lock name", "holder".
void check_name(std::string_view what, std::string_view name);

// The part of a key that Redis Cluster hashes, and the slot it falls into.
[[nodiscard]] std::string_view hash_tag(std::string_view key) noexcept;
[[nodiscard]] std::uint16_t hash_slot(std::string_view key) noexcept;

}  // namespace pawl::core
