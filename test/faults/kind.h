// The kinds of locks that the workers use, and how many holders each allows.
#pragma once

#include <pawl/pawl.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace pawl::faults {

enum class kind { mutex, fair_mutex, recursive_mutex, shared_mutex, semaphore };

inline constexpr std::array all_kinds{kind::mutex, kind::fair_mutex, kind::recursive_mutex,
                                      kind::shared_mutex, kind::semaphore};
inline constexpr std::size_t kind_count = all_kinds.size();
inline constexpr unsigned permits = 2;

[[nodiscard]] std::string_view to_string(kind which);

// The name of the lock of this kind.
[[nodiscard]] std::string name_of(kind which);

// A lock of one kind. `readers` is set for a shared_mutex only.
struct made_lock {
    std::shared_ptr<acquirable> lock;
    lockable* readers = nullptr;
};

[[nodiscard]] made_lock make_lock(kind which, client& own, const lock_options& options);

}  // namespace pawl::faults
