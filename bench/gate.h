// Latches of any kind, for the workload in which many threads are released at once. Each release
// has a new latch, which one count_down() opens. The threads of a process share one object.
#pragma once

#include "contender.h"

#include <cstdint>
#include <memory>
#include <string>

namespace pawl::bench {

class gate {
public:
    gate() = default;
    virtual ~gate() = default;
    gate(const gate&) = delete;
    gate& operator=(const gate&) = delete;

    // Throws if it does not open for seconds.
    virtual void wait(std::uint64_t release) = 0;

    virtual void open(std::uint64_t release) = 0;
};

// For contender::latch and contender::raw_latch.
[[nodiscard]] std::unique_ptr<gate> make_gate(contender kind, const std::string& url);

}  // namespace pawl::bench
