// The kinds of locks and gates that the workers use, and how many holders each allows.
#pragma once

#include <pawl/pawl.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace pawl::faults {

enum class kind {
    mutex,
    fair_mutex,
    recursive_mutex,
    shared_mutex,
    semaphore,
    striped_mutex,
    lock_set,
    leader,
    condition,
    once_per,
    latch,
    barrier
};

inline constexpr std::array all_kinds{kind::mutex,        kind::fair_mutex, kind::recursive_mutex,
                                      kind::shared_mutex, kind::semaphore,  kind::striped_mutex,
                                      kind::lock_set,     kind::leader,     kind::condition,
                                      kind::once_per,     kind::latch,      kind::barrier};
inline constexpr std::size_t kind_count = all_kinds.size();
inline constexpr unsigned permits = 2;

[[nodiscard]] std::string_view to_string(kind which);

// The name of the lock of this kind. In a Cluster, all its keys are in the slot of this name.
[[nodiscard]] std::string name_of(kind which);

// A name for a part of it, or for one of several: in a Cluster in the same slot.
[[nodiscard]] std::string name_of(kind which, std::string_view part);

// A lock of one kind. `other` is another way to acquire it: the readers of a shared_mutex, or one of the two
// locks of a lock_set alone.
struct made_lock {
    std::shared_ptr<acquirable> lock;
    std::shared_ptr<acquirable> other{};
};

// Of the kinds that are acquired like a mutex: all before `condition`. `part` is a part of its name.
[[nodiscard]] made_lock make_lock(kind which, client& own, const std::string& part,
                                  const lock_options& options);

}  // namespace pawl::faults
