// A memory server: one engine for the clients of this process, and the faults that a test can
// cause.
//
//   state             requests
//   normal            are answered at once
//   frozen            arrive on existing connections, and are executed when it thaws, even if their
//                     callers have given up: as with a process that was stopped
//   client cut off    of that client do not arrive, and replies do not come back, until it is
//                     reconnected: as with a network cable that was unplugged
//
// A client that has subscribed stays subscribed until it leaves. Messages that are published while
// it is cut off are lost, although PUBLISH counts it as a receiver.
//
// All functions may be called from any thread.
#pragma once

#include "common/mutex.h"
#include "store/memory/engine.h"
#include "store/memory/timeline.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace pawl::store::memory {

// One request, on its way to the server and back.
struct request {
    session from{};
    std::string bytes;
    bool connected{};                 // there was a connection to send it on
    std::function<void()> on_answer;  // called with the server's mutex held

    std::string reply{};  // when it is answered
    std::atomic<bool> answered{false};

    // Used by the server only.
    enum class stage { on_the_way, arrived, executed };
    stage at = stage::on_the_way;
};
using request_ptr = std::shared_ptr<request>;

class server {
public:
    // `name` as in memory:NAME. Empty for a server that only one client uses.
    explicit server(std::string_view name);
    ~server() = default;
    server(const server&) = delete;
    server& operator=(const server&) = delete;

    // For messages.
    [[nodiscard]] const std::string& shown() const noexcept { return shown_; }
    [[nodiscard]] timeline& time() noexcept { return time_; }

    // ── For clients ─────────────────────────────────────────────────────────────────────────────

    // Returns the number of a new client.
    [[nodiscard]] session join();
    // When this returns, no request of this client will be answered any more.
    void leave(session who);

    [[nodiscard]] bool can_be_reached_by(session who);

    // `deliver` is called for each message to the channels of `who`, in order, until it leaves. It
    // is called with the server's mutex held, during a request of any client.
    using delivery = std::function<void(std::string_view message)>;
    void on_message(session who, delivery deliver);

    // `on_answer` may be called before this returns. It is called at most once.
    void send(const request_ptr& what);
    // The caller does not wait for the answer any more. A request that has not arrived yet never
    // will.
    void give_up(const request_ptr& what);

    // ── Levers ──────────────────────────────────────────────────────────────────────────────────

    void lose(std::string_view key);
    void lose_data();
    void flush_scripts();
    void set_memory_full(bool full);
    void freeze();
    void thaw();
    void cut_off(session who);
    void reconnect(session who);

    // The memory_server objects are counted: when the last one is destroyed, all faults end.
    void take_levers();
    void let_go_of_levers();

    // The holder of the lock in this key, in any layout. One of them if there are several.
    [[nodiscard]] std::optional<std::string> holder_of(std::string_view key);

    // How many requests have been sent and not answered. Those that were given up on the way do not count.
    [[nodiscard]] std::size_t unanswered();

private:
    void deliver(session who, std::string_view push) PAWL_REQUIRES(mutex_);
    void move_on(request& what) PAWL_REQUIRES(mutex_);
    void move_all_on() PAWL_REQUIRES(mutex_);
    [[nodiscard]] bool is_cut_off(session who) const PAWL_REQUIRES(mutex_)
    {
        return cut_off_.contains(who);
    }
    [[nodiscard]] std::string ask(std::initializer_list<std::string_view> words)
        PAWL_REQUIRES(mutex_);

    std::string shown_;
    timeline time_;

    common::mutex mutex_;
    engine engine_ PAWL_GUARDED_BY(mutex_);
    std::list<request_ptr> waiting_
        PAWL_GUARDED_BY(mutex_);  // in the order in which they were sent
    std::map<session, delivery> listeners_ PAWL_GUARDED_BY(mutex_);
    std::set<session> cut_off_ PAWL_GUARDED_BY(mutex_);
    session last_session_ PAWL_GUARDED_BY(mutex_) = 0;
    bool frozen_ PAWL_GUARDED_BY(mutex_) = false;
    unsigned levers_ PAWL_GUARDED_BY(mutex_) = 0;
};

}  // namespace pawl::store::memory
