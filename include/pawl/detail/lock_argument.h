// The lock that an asynchronous call is given: a variable, or a temporary such as
// pawl::mutex{client, name}. Not for users.
//
// A call needs the lock only until it has started, and a temporary lives until then. A parameter of
// type lockable& would refuse it.
#pragma once

#include <pawl/lockable.h>

namespace pawl::detail {

class lock_argument {
public:
    // NOLINTBEGIN(google-explicit-constructor): the caller writes only the lock
    lock_argument(lockable& lock) noexcept : lock_{&lock} {}
    lock_argument(lockable&& lock) noexcept : lock_{&lock} {}
    // NOLINTEND(google-explicit-constructor)

    [[nodiscard]] lockable& get() const noexcept { return *lock_; }

private:
    lockable* lock_;
};

}  // namespace pawl::detail
