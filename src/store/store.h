// What the protocol sends its operations to.
#pragma once

#include "base/clock.h"
#include "base/interrupt.h"
#include "core/operation.h"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace pawl::store {

class store {
public:
    store() = default;
    virtual ~store() = default;
    store(const store&) = delete;
    store& operator=(const store&) = delete;

    // From any thread: does one operation, in that thread, with an answer by `until`. `stop` may be
    // null.
    [[nodiscard]] virtual core::outcome execute(const core::operation& what, base::boot_time until,
                                                const base::interrupt* stop) = 0;

    // On the client's event loop only: does many at once, in as few round trips as it can. `done`
    // gets an outcome for each, in the same order; it is called on the loop, once, never from inside
    // submit(), unless the store is destroyed first. Late answers are waited for, but silence for
    // longer than `patience` may be taken for the end of the connection.
    using batch = std::vector<core::operation>;
    using batch_done = std::function<void(const std::vector<core::outcome>&)>;
    virtual void submit(batch what, std::chrono::milliseconds patience, batch_done done) = 0;

    // On the client's event loop only: gets ready for submit(), so that the first one is not late.
    virtual void connect() = 0;

    // Asks for a sign of life.
    [[nodiscard]] virtual core::outcome ping(base::boot_time until) = 0;

    // For messages: where it is, without any password.
    [[nodiscard]] virtual const std::string& shown() const noexcept = 0;
};

}  // namespace pawl::store
