// The keys of a database, with their values and the times at which they end.
//
// A key that has ended is removed when it is next accessed, as in Redis.
#pragma once

#include "store/memory/values.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pawl::store::memory {

// Since the epoch.
using instant = std::chrono::milliseconds;

struct entry {
    content data;
    std::optional<instant> ends;
};

class keyspace {
public:
    // For inspection.
    struct key_info {
        std::string name;
        std::string_view type;
        std::optional<instant> ends;
    };

    void set_now(instant now) noexcept { now_ = now; }
    [[nodiscard]] instant now() const noexcept { return now_; }

    // Null if the key does not exist. Valid until keys are added or removed.
    [[nodiscard]] entry* find(std::string_view key);

    // Adds a key that find() did not find.
    entry& add(std::string_view key, content data);
    bool erase(std::string_view key);  // whether it existed
    void clear() noexcept { entries_.clear(); }

    // Removes all keys that have ended.
    void expire_all();

    // Keys that have ended and were not accessed since are counted.
    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

    // Sorted by name.
    [[nodiscard]] std::vector<key_info> keys() const;

private:
    struct text_hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept
        {
            return std::hash<std::string_view>{}(text);
        }
    };

    // A key still exists in the millisecond in which it ends.
    [[nodiscard]] bool has_ended(const entry& what) const noexcept
    {
        return what.ends && now_ > *what.ends;
    }

    // The order has no meaning. Where an order is visible, the keys are sorted by name.
    std::unordered_map<std::string, entry, text_hash, std::equal_to<>> entries_;
    instant now_{};
};

}  // namespace pawl::store::memory
