// The local locks of a client: those who want the same lock in the same way meet in one.
#pragma once

#include "sync/lock_settings.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pawl::sync {

class client_state;
class local_lock;

class local_locks {
public:
    [[nodiscard]] std::shared_ptr<local_lock> meet(client_state& client,
                                                   const lock_settings& settings);

    // What is idle here is given back: of this name, or all.
    void let_go(std::optional<std::string_view> name);

private:
    void sweep();  // mutex_ is held

    static constexpr std::size_t fewest_to_sweep = 64;

    using locks_of_one_name = std::vector<std::weak_ptr<local_lock>>;

    std::mutex mutex_;
    std::unordered_map<std::string, locks_of_one_name> all_;  // guarded by mutex_, as is sweep_at_
    std::size_t sweep_at_ = fewest_to_sweep;  // names: those that are not used any more go then
};

}  // namespace pawl::sync
