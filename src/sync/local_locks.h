// The local locks of a client: callers that want the same lock in the same way share one.
#pragma once

#include "base/forked.h"
#include "common/mutex.h"
#include "sync/lock_settings.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_set>

namespace pawl::sync {

class client_state;
class local_lock;

class local_locks : public std::enable_shared_from_this<local_locks> {
public:
    [[nodiscard]] std::shared_ptr<local_lock> meet(client_state& client,
                                                   const settings_ptr& settings);

    // By its destructor.
    void part_from(const local_lock& which) noexcept;

    // Another client wants the lock of this name, or may want any of them. Those that linger are given back.
    void wanted(std::optional<std::string_view> name);

private:
    unsigned process_mark_ = base::process_mark();
    common::mutex mutex_;

    // By name. Each lock removes itself in its destructor.
    struct name_hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view name) const noexcept;
        std::size_t operator()(const local_lock* lock) const noexcept;
    };
    struct same_name {
        using is_transparent = void;
        bool operator()(const local_lock* one, const local_lock* other) const noexcept;
        bool operator()(const local_lock* one, std::string_view name) const noexcept;
        bool operator()(std::string_view name, const local_lock* one) const noexcept;
    };
    std::unordered_multiset<local_lock*, name_hash, same_name> all_ PAWL_GUARDED_BY(mutex_);
};

}  // namespace pawl::sync
