// What the protocol sends its requests to.
#pragma once

#include "base/clock.h"
#include "base/interrupt.h"
#include "core/notice.h"
#include "core/request.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

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

    // From any thread: does what was asked, in that thread, with an answer by `until`. `stop` may be
    // null.
    [[nodiscard]] virtual core::reply execute(const core::request& what, base::boot_time until,
                                              const base::interrupt* stop) = 0;

    // On the client's event loop only: the same without waiting. What the request points to must stay
    // good until `done` was called: on the loop, once, never from inside submit(), unless the store is
    // destroyed first. Late answers are waited for, but silence for longer than `patience` may be taken
    // for the end of the connection. A request that has to be sent once more and is not wanted any more
    // ends there, without an answer.
    using still_wanted = std::function<bool()>;
    using reply_handler = std::function<void(core::reply)>;
    virtual void submit(core::request what, std::chrono::milliseconds patience, still_wanted wanted,
                        reply_handler done) = 0;

    // From any thread, before an acquire that is submitted: a local: server is started. Says what kept
    // it from that.
    [[nodiscard]] virtual std::optional<core::failure> prepare() { return std::nullopt; }

    // On the client's event loop only: gets ready for submit(), so that the first one is not late.
    virtual void connect() = 0;

    // On the client's event loop only, once: tells `who` what is meant for `client`. It must outlive
    // the store.
    virtual void listen(std::string_view client, notice_listener& who) = 0;

    // On the client's event loop only: something should have been heard and was not. Looks whether the
    // connection is still there.
    virtual void doubt() = 0;

    // Asks for a sign of life. Says why there is none.
    [[nodiscard]] virtual std::optional<core::failure> ping(base::boot_time until) = 0;

    // For messages: where it is, without any password.
    [[nodiscard]] virtual const std::string& shown() const noexcept = 0;
};

}  // namespace pawl::store
