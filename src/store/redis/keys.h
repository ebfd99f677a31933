// The keys of one lock on a Redis server. The lock itself is stored under its own name, so that other
// libraries can share it. The other keys are made from the name, and are in the same slot of a cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pawl::store {

inline constexpr std::string_view fence_prefix = "pawl:fence:";
inline constexpr std::string_view queue_prefix = "pawl:queue:";
inline constexpr std::string_view condition_prefix = "pawl:cond:";
inline constexpr std::string_view watch_prefix = "pawl:watch:";  // the watchers of a leader
inline constexpr std::string_view mark_prefix = "pawl:mark:";

// On a node of a quorum: the order of the waiters, and their places. The marker of the node is no lock's.
inline constexpr std::string_view tickets_prefix = "pawl:tickets:";
inline constexpr std::string_view places_prefix = "pawl:places:";
inline constexpr std::string_view node_key = "pawl:node";

// The part of a key after these prefixes: {name}, or {tag}:name if the name has a hash tag or cannot be
// put into braces. Does not allocate. Valid as long as the name is.
class key_tail {
public:
    explicit key_tail(std::string_view lock) noexcept;
    key_tail(const key_tail&) = delete;
    key_tail& operator=(const key_tail&) = delete;
    ~key_tail() = default;

    [[nodiscard]] std::size_t size() const noexcept;
    void append_to(std::string& out) const;

    // In braces: the part that Redis Cluster hashes.
    [[nodiscard]] std::string tag() const;

private:
    char digits_[10]{};
    std::string_view tag_;
    std::string_view name_;  // empty if the tag is the whole name
};

[[nodiscard]] std::string fence_key(std::string_view lock);
[[nodiscard]] std::string queue_key(std::string_view lock);
// With the length of the condition's name: otherwise two pairs of names could have the same key.
[[nodiscard]] std::string condition_key(std::string_view lock, std::string_view condition);
[[nodiscard]] std::string watch_key(std::string_view lock);
[[nodiscard]] std::string mark_key(std::string_view lock);
[[nodiscard]] std::string tickets_key(std::string_view lock);
[[nodiscard]] std::string places_key(std::string_view lock);

// The part of a key that Redis Cluster hashes, and the slot of the key.
[[nodiscard]] std::string_view hash_tag(std::string_view key) noexcept;
[[nodiscard]] std::uint16_t hash_slot(std::string_view key) noexcept;

}  // namespace pawl::store
