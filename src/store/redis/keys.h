// The keys under which one lock lies on a Redis server. The lock itself lies under its own name, so that
// other libraries can share it; the other keys are made from the name, and fall into the same slot of a
// cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pawl::store {

inline constexpr std::string_view fence_prefix = "pawl:fence:";
inline constexpr std::string_view queue_prefix = "pawl:queue:";

// What follows these prefixes: {name}, or {tag}:name if the name itself does not fit into braces. Made
// without an allocation. Good for as long as the name is.
class key_tail {
public:
    explicit key_tail(std::string_view lock) noexcept;
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

[[nodiscard]] std::string fence_key(std::string_view lock);
[[nodiscard]] std::string queue_key(std::string_view lock);

// The part of a key that Redis Cluster hashes, and the slot it falls into.
[[nodiscard]] std::string_view hash_tag(std::string_view key) noexcept;
[[nodiscard]] std::uint16_t hash_slot(std::string_view key) noexcept;

}  // namespace pawl::store
