// Wakes the driver of a call that waits: from any thread, and at any time. A bell that rings while no
// driver waits is heard by the next wait.
#pragma once

#include <memory>

namespace pawl::sync {

class bell {
public:
    bell() = default;
    virtual ~bell() = default;
    bell(const bell&) = delete;
    bell& operator=(const bell&) = delete;

    virtual void ring() = 0;
};

// A driver, to the machine that it runs. The driver owns its bell; others have a weak_ptr to it.
class bell_source {
public:
    bell_source() = default;
    virtual ~bell_source() = default;
    bell_source(const bell_source&) = delete;
    bell_source& operator=(const bell_source&) = delete;

    // A bell that has not rung yet. The driver waits for the last one only.
    [[nodiscard]] virtual std::weak_ptr<bell> new_bell() = 0;
};

}  // namespace pawl::sync
