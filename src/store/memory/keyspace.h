// The keys of one database, with their values and the times at which they end.
//
// A key that has ended is there until someone asks for it, and is removed then, as in Redis.
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

    // Null if there is none. Valid until keys are added or removed.
    [[nodiscard]] entry* find(std::string_view key);

    // Makes a key of which find() said that there is none.
    entry& add(std::string_view key, content data);
    bool erase(std::string_view key);  // whether there was one
    void clear() noexcept { entries_.clear(); }

    // Removes all that have ended.
    void expire_all();

    // Those that have ended and were not asked for since are counted.
    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

    // By name.
    [[nodiscard]] std::vector<key_info> keys() const;

private:
    struct text_hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept
        {
            return std::hash<std::string_view>{}(text);
        }
    };

    // A key lives through the millisecond in which it ends.
    [[nodiscard]] bool has_ended(const entry& what) const noexcept
    {
        return what.ends && now_ > *what.ends;
    }

    // Its order means nothing; where an order is seen, it is that of the names.
    std::unordered_map<std::string, entry, text_hash, std::equal_to<>> entries_;
    instant now_{};
};

}  // namespace pawl::store::memory
