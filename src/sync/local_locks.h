// The local locks of a client: those who want the same lock in the same way meet in one.
#pragma once

#include "base/forked.h"
#include "sync/lock_settings.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace pawl::sync {

class client_state;
class local_lock;

class local_locks : public std::enable_shared_from_this<local_locks> {
public:
    [[nodiscard]] std::shared_ptr<local_lock> meet(client_state& client,
                                                   const settings_ptr& settings);

    // It is used no more: by its destructor.
    void part_from(const local_lock& which) noexcept;

    // What is idle here is given back: of this name, or all.
    void let_go(std::optional<std::string_view> name);

private:
    unsigned process_mark_ = base::process_mark();
    std::mutex mutex_;
    // By name, which is that in the lock's own settings. Guarded by mutex_.
    std::unordered_multimap<std::string_view, std::weak_ptr<local_lock>> all_;
};

}  // namespace pawl::sync
