// The interface of a store, to which the protocol sends its requests.
#pragma once

#include "base/clock.h"
#include "base/interrupt.h"
#include "core/notice.h"
#include "core/request.h"
#include "store/question.h"

#include <pawl/node.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::store {

// Gets the messages that the store sends to this client without being asked. Called on the client's event
// loop.
class notice_listener {
public:
    notice_listener() = default;
    virtual ~notice_listener() = default;
    notice_listener(const notice_listener&) = delete;
    notice_listener& operator=(const notice_listener&) = delete;

    virtual void granted(const core::grant_notice& what) = 0;

    // Another client asks for a lock that lingers in this client.
    virtual void wanted(std::string_view lock) = 0;

    // An operator has ended the hold of this holder.
    virtual void broken(std::string_view /*holder*/, std::string_view /*reason*/) {}

    // From now on messages arrive (true), or do not arrive any more (false).
    virtual void listening(bool now) = 0;
};

class store {
public:
    store() = default;
    virtual ~store() = default;
    store(const store&) = delete;
    store& operator=(const store&) = delete;

    // From any thread: executes the request in that thread, and returns by `until`. `stop` may be null.
    [[nodiscard]] virtual core::reply execute(const core::request& what, base::boot_time until,
                                              const base::interrupt* stop) = 0;

    // On the client's event loop only: executes the request without waiting. `done` is called on the loop,
    // at most once, and never from inside submit(). The objects that the request points to must live until
    // then.
    //
    // Late answers count. But if the server is silent for longer than `patience`, the store may assume that
    // the connection is broken.
    //
    // `done` is not called if the store is destroyed first, or if the request would have to be sent again
    // and `wanted` returns false.
    using still_wanted = std::function<bool()>;
    using reply_handler = std::function<void(core::reply)>;
    virtual void submit(core::request what, std::chrono::milliseconds patience, still_wanted wanted,
                        reply_handler done) = 0;

    // From any thread, before an acquire is submitted: starts the server of a local: URL. Returns the
    // reason if that failed.
    [[nodiscard]] virtual std::optional<core::failure> prepare() { return std::nullopt; }

    // On the client's event loop only: makes the connection for submit(), so that the first request need
    // not wait for it.
    virtual void connect() = 0;

    // On the client's event loop only, once: from now on, `who` gets the messages for `client`. `who` must
    // outlive the store.
    virtual void listen(std::string_view client, notice_listener& who) = 0;

    // Before the event loop starts, once: `moved` is called on it when another server has taken the store's place, or
    // that of one of its servers. That server may not know the last grants.
    virtual void on_moved(const std::function<void()>& /*moved*/) {}

    // On the client's event loop only: a message should have arrived and did not. Checks whether the
    // connection still works.
    virtual void doubt() = 0;

    // From any thread: checks that the server answers. Returns the reason if it does not.
    [[nodiscard]] virtual std::optional<core::failure> ping(base::boot_time until) = 0;

    // From any thread: the servers that have this lock, or all that the store has now if its name is empty. One server;
    // the primary of a service; each primary of a Cluster, or the one with the slot of the lock; each node of a quorum.
    // Their number and names may change from call to call, except those of a quorum.
    [[nodiscard]] virtual server_list servers(std::string_view /*lock*/, base::boot_time /*until*/)
    {
        return {.names = {shown()}};
    }

    // From any thread: sends plain commands of operators, outside of the protocol. Returns an answer for each question,
    // in their order, by `until`. Several servers are asked at the same time.
    [[nodiscard]] virtual std::vector<server_answer> ask(
        const std::vector<server_question>& questions, base::boot_time /*until*/)
    {
        std::vector<server_answer> all;
        all.reserve(questions.size());
        for (const auto& each : questions) all.push_back(no_such_server(each.server));
        return all;
    }

    // From any thread: asks every node of a quorum, and what it says of this lock, unless that is empty. Returns
    // nothing if the store is no quorum.
    [[nodiscard]] virtual std::vector<node_info> nodes(std::string_view /*lock*/,
                                                       base::boot_time /*until*/)
    {
        return {};
    }

    // From any thread: the nodes of a quorum are new and may vote at once. Returns the reason if that failed.
    [[nodiscard]] virtual std::optional<core::failure> init_nodes(bool /*force*/,
                                                                  base::boot_time /*until*/)
    {
        return core::failure{.what = core::failure_kind::refused, .detail = "it is not a quorum"};
    }

    // From any thread, once, before the event loop is stopped: waits for releases that were answered to their callers
    // but not by all servers. Returns by `until`.
    virtual void drain(base::boot_time /*until*/) {}

    // From any thread: leases with the same number are renewed in one request. A store with several servers gives each
    // its own number, so that one that does not answer delays only its own leases.
    [[nodiscard]] virtual std::size_t part_of(const core::object& /*what*/) const { return 0; }

    // The address of the store, for messages. It contains no password.
    [[nodiscard]] virtual const std::string& shown() const noexcept = 0;
};

}  // namespace pawl::store
