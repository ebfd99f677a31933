// A lock of any kind, for tests of what all kinds have in common.
#pragma once

#include <pawl/pawl.h>

#include <array>
#include <ostream>
#include <string_view>
#include <variant>

namespace pawl::test {

enum class lock_kind { plain, hash, recursive, fair, fair_hash };

inline constexpr std::array all_lock_kinds{lock_kind::plain, lock_kind::hash, lock_kind::recursive,
                                           lock_kind::fair, lock_kind::fair_hash};

[[nodiscard]] std::string_view to_string(lock_kind kind);

// For a name in a child's arguments. Throws if there is no such kind.
[[nodiscard]] lock_kind lock_kind_of(std::string_view name);

std::ostream& operator<<(std::ostream& out, lock_kind kind);

[[nodiscard]] constexpr bool is_fair(lock_kind kind)
{
    return kind == lock_kind::fair || kind == lock_kind::fair_hash;
}

class any_lock {
public:
    // The kind determines the layout.
    any_lock(lock_kind kind, client& own, std::string_view name, lock_options options);

    [[nodiscard]] lockable& operator*() noexcept { return *lock_; }
    [[nodiscard]] lockable* operator->() noexcept { return lock_; }

private:
    std::variant<std::monostate, mutex, recursive_mutex, fair_mutex> made_;
    lockable* lock_ = nullptr;
};

}  // namespace pawl::test
