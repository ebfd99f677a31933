// Runs a machine to its end in the calling thread, which waits. The other driver is loop_driver.h.
#pragma once

#include "base/interrupt.h"
#include "base/platform.h"
#include "base/scheduler.h"
#include "core/machine.h"
#include "sync/blocking_bell.h"
#include "sync/call.h"
#include "sync/store_slot.h"

namespace pawl::sync {

class blocking_driver {
public:
    // All must outlive it.
    blocking_driver(base::platform& platform, base::scheduler& loop, const store_slot& store)
        : platform_{platform}, loop_{loop}, store_{store}
    {
    }

    // `stop` may be null. Throws std::system_error if the system has no descriptors left.
    void run(core::machine& what, const base::interrupt* stop);
    void run(call& what, const base::interrupt* stop);

private:
    class bells;
    void run(core::machine& what, const bells* woken_by, const base::interrupt* stop);
    [[nodiscard]] core::reply execute(const core::step& step, const base::interrupt* stop);
    [[nodiscard]] bool wait(const core::step& step, blocking_bell* woken_by,
                            const base::interrupt* stop);

    base::platform& platform_;
    base::scheduler& loop_;
    const store_slot& store_;
};

}  // namespace pawl::sync
