// A thread of the library must not receive the signals of the program.
#pragma once

#include <functional>
#include <thread>

namespace pawl::base {

// Starts a thread with all signals blocked. Throws std::system_error.
[[nodiscard]] std::thread signal_free_thread(std::function<void()> body);

}  // namespace pawl::base
