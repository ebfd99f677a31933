// The lock that an asynchronous call is given: a variable, or a temporary such as
// pawl::mutex{client, name}. Not for users.
//
// A call needs the lock only until it has started, and a temporary lives until then. A parameter of
// type acquirable& would refuse it.
#pragma once

#include <pawl/acquirable.h>

namespace pawl::detail {

class lock_argument {
public:
    // The caller writes only the lock. A temporary is used, not moved from.
    // NOLINTBEGIN(google-explicit-constructor,cppcoreguidelines-rvalue-reference-param-not-moved)
    lock_argument(acquirable& lock) noexcept : lock_{&lock} {}
    lock_argument(acquirable&& lock) noexcept : lock_{&lock} {}
    // NOLINTEND(google-explicit-constructor,cppcoreguidelines-rvalue-reference-param-not-moved)

    [[nodiscard]] acquirable& get() const noexcept { return *lock_; }

private:
    acquirable* lock_;
};

}  // namespace pawl::detail
