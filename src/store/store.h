// What the protocol sends its operations to.
#pragma once

#include "base/clock.h"
#include "base/interrupt.h"
#include "core/notice.h"
#include "core/operation.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::store {

// Gets what the store tells this client of its own accord. On the client's event loop.
class notice_listener {
public:
    notice_listener() = default;
    virtual ~notice_listener() = default;
    notice_listener(const notice_listener&) = delete;
    notice_listener& operator=(const notice_listener&) = delete;

    virtual void granted(const core::grant_notice& what) = 0;

    // Someone asks for a lock that lingers here.
    virtual void wanted(std::string_view lock) = 0;

    // From now on it hears, or does not any more.
    virtual void listening(bool now) = 0;
};

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

    // On the client's event loop only: one operation, whose texts and keys must stay good until `done`
    // was called; else as above. If it has to be sent once more and is not wanted any more, that is
    // its end.
    using still_wanted = std::function<bool()>;
    using one_done = std::function<void(const core::outcome&)>;
    virtual void submit_one(const core::operation& what, std::chrono::milliseconds patience,
                            still_wanted wanted, one_done done) = 0;

    // From any thread, before an acquire that is submitted: a local: server is started. Says what kept
    // it from that.
    [[nodiscard]] virtual std::optional<core::outcome> prepare() { return std::nullopt; }

    // On the client's event loop only: gets ready for submit(), so that the first one is not late.
    virtual void connect() = 0;

    // On the client's event loop only, once: tells `who` what is meant for `client`. It must outlive
    // the store.
    virtual void listen(std::string_view client, notice_listener& who) = 0;

    // On the client's event loop only: something should have been heard and was not. Looks whether the
    // connection is still there.
    virtual void doubt() = 0;

    // Asks for a sign of life.
    [[nodiscard]] virtual core::outcome ping(base::boot_time until) = 0;

    // For messages: where it is, without any password.
    [[nodiscard]] virtual const std::string& shown() const noexcept = 0;
};

}  // namespace pawl::store
