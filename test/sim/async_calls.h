// Asynchronous calls of a simulated thread, which waits for their results.
#pragma once

#include "sim/process.h"

#include <pawl/acquirable.h>
#include <pawl/barrier.h>
#include <pawl/hold.h>
#include <pawl/latch.h>
#include <pawl/time_limit.h>
#include <pawl/waitable.h>

#include <chrono>
#include <optional>
#include <stop_token>
#include <system_error>

namespace pawl::sim {

[[nodiscard]] std::optional<hold> acquire_async(process& who, acquirable& lock, time_limit limit,
                                                const std::stop_token& stop, std::error_code& ec);
void release_async(process& who, hold what, std::error_code& ec);
void extend_async(process& who, hold& what, std::chrono::milliseconds lease, std::error_code& ec);
void wait_async(process& who, const waitable& what, time_limit limit, const std::stop_token& stop,
                std::error_code& ec);
void count_down_async(process& who, latch& what, unsigned count, std::error_code& ec);
[[nodiscard]] barrier::arrival arrive_async(process& who, barrier& what, unsigned count,
                                            std::error_code& ec);

}  // namespace pawl::sim
