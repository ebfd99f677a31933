// A process that asks for a lock, keeps it until the test tells it to release it, and prints what
// happens.
//
//   prints           when
//   asking           before it asks
//   fence N          it has the lock
//   released         it has released the lock, after a line from the test
#pragma once

#include "support/any_lock.h"
#include "support/process.h"

#include <chrono>
#include <string>

namespace pawl::test {

[[nodiscard]] process start_lock_child(const std::string& url, lock_kind kind,
                                       const std::string& name, std::chrono::milliseconds lease);

}  // namespace pawl::test
