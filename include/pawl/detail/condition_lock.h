// What a pawl::condition_variable can wait with. Not for users.
#pragma once

#include <pawl/fair_mutex.h>
#include <pawl/hold.h>
#include <pawl/mutex.h>

#include <concepts>
#include <mutex>

namespace pawl::detail {

template <class Lock>
concept condition_lock = std::same_as<Lock, hold> || std::same_as<Lock, std::unique_lock<mutex>> ||
                         std::same_as<Lock, std::unique_lock<fair_mutex>>;

}  // namespace pawl::detail
