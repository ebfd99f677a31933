// Runs a machine to its end in the calling thread, which waits. The other driver is loop_driver.h.
#pragma once

#include "base/interrupt.h"
#include "base/platform.h"
#include "base/scheduler.h"
#include "core/machine.h"
#include "store/store.h"
#include "sync/call.h"

#include <memory>
#include <utility>

namespace pawl::sync {

class blocking_driver {
public:
    // `store` is null if the client is closed: then every request is refused.
    blocking_driver(base::platform& platform, base::scheduler& loop,
                    std::shared_ptr<store::store> store)
        : platform_{platform}, loop_{loop}, store_{std::move(store)}
    {
    }

    // `stop` may be null. Throws std::system_error if the system has no descriptors left.
    void run(core::machine& what, const base::interrupt* stop) { run(what, nullptr, stop); }
    void run(call& what, const base::interrupt* stop) { run(what, &what, stop); }

private:
    void run(core::machine& what, const call* waiting, const base::interrupt* stop);
    [[nodiscard]] core::reply execute(const core::step& step, const base::interrupt* stop);
    [[nodiscard]] bool wait(const core::step& step, bell* woken_by, const base::interrupt* stop);

    base::platform& platform_;
    base::scheduler& loop_;
    std::shared_ptr<store::store> store_;
};

}  // namespace pawl::sync
