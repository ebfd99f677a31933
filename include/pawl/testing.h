// For tests of programs that use pawl: a server in this process, and functions ("levers") that
// cause faults or let time pass. No Redis is needed, and an hour passes in milliseconds.
//
//   pawl::testing::memory_server server;
//   pawl::client client{server.url()};
//   pawl::mutex stock{client, "stock:42"};
//   const pawl::hold held = stock.acquire();
//
//   server.advance(1h);
//   assert(held.state() == pawl::hold_state::held);      // it was renewed, 360 times
//   server.freeze();
//   server.advance(31s);
//   assert(held.lost().stop_requested());                // it could not be renewed
//
//   lever                    what clients see                                     until
//   advance                  time passes, for the server and all its clients      –
//   freeze                   no answers; requests are executed when it thaws,     thaw
//                            except an acquire that is too late by then
//   cut_off                  one client: no requests and no answers pass          reconnect
//   lose, lose_data          keys are gone; holders learn of it at their next     –
//                            request, such as a renewal
//   fill_memory              acquiring is refused; renewing and releasing work    free_memory
//   flush_scripts            nothing: scripts are sent again                      –
//
// This header is not part of <pawl/pawl.h>. It needs the library pawl::testing (pkg-config:
// pawl-testing). If any file of a program includes it, memory: URLs work in the whole program.
//
// All functions may be called from any thread, also from event handlers of a client. No function
// sends a request over a network. In a child process after fork(), all functions except url() throw
// pawl::error (wrong_process). Other failures are described at each function.
#pragma once

#include <pawl/client.h>
#include <pawl/export.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::testing {

class PAWL_EXPORT memory_server {
public:
    // Makes a new server with a unique name.
    memory_server();

    // Gives access to the server memory:NAME, which may have clients already. A name has 1 to 64
    // letters, digits, '_', '.' and '-'.
    // On failure: throws pawl::error (bad_argument).
    explicit memory_server(std::string_view name);

    // The server's clients continue to work. If this was the last memory_server of that name, the
    // server thaws, clients that were cut off are reconnected, and memory is free.
    ~memory_server();

    memory_server(const memory_server&) = delete;
    memory_server& operator=(const memory_server&) = delete;

    // Returns the URL for clients of this server: memory:NAME.
    [[nodiscard]] const std::string& url() const noexcept;

    // Lets time pass, 0 to 365 days. Time passes in steps: it moves to the next moment at which
    // something is due, and waits until that is done. So a lock that is renewed stays held, however
    // much time passes. A lock that cannot be renewed is lost at its deadline. A waiter gets the
    // lock when it becomes free.
    //
    // When advance() returns, everything that became due is done: leases have ended, locks are
    // renewed or lost, stop is requested on tokens, and on_event was called. This is not guaranteed
    // if a handler or callback takes longer than one second of real time, or calls advance()
    // itself. A thread that waited in a call has received its answer, but the system may not have
    // let it run yet: the call may return a moment later. Calls that other threads begin during
    // advance() start after it.
    //
    // Each renewal, and each request of a waiter, takes some tenths of a millisecond of real time.
    // On failure: throws pawl::error (bad_argument) if `by` is out of range.
    void advance(std::chrono::nanoseconds by);

    // freeze() first lets the server finish all work that is due now, such as a release on its way.
    // From then on the server does not answer, like a stopped process. Requests that arrive are
    // executed after thaw(), even if their callers have given up. But an acquire names the time
    // until which it is wanted, and takes no lock after that time; docs/guarantees.md, "What
    // happens when", has two exceptions. Calls to a frozen server end at their usual limits, such
    // as client_options::command_limit. This takes real time, unless another thread calls
    // advance().
    void freeze();
    void thaw();

    // cut_off() first lets the server finish all work that is due now. From then on, no request and
    // no answer passes between this client and the server, as if a network cable were unplugged,
    // until reconnect().
    // On failure: both throw pawl::error (bad_argument) if `who` is not a client of this server.
    void cut_off(client& who);
    void reconnect(client& who);

    // Removes the lock, as if an operator had deleted its key. Its fence continues to grow. The
    // holder learns of the loss at its next request: a renewal, extend(), confirm() or release().
    // To let it renew, call advance() with a third of the lease.
    void lose(std::string_view lock);

    // Removes all data, as a restart without data does. Fences continue to grow even so.
    void lose_data();

    // After fill_memory(), the server refuses requests that need memory, until free_memory().
    void fill_memory();
    void free_memory();

    // The server forgets all scripts that clients have sent.
    void flush_scripts();

    // Returns whether the lock is held, as the server sees it: of a semaphore, whether at least one
    // permit is. Also works while it is frozen.
    [[nodiscard]] bool is_locked(std::string_view lock) const;

    // Returns the holder of the lock: the id() of a hold, or the holder that was passed to
    // stateless::try_lock(). Returns one of them if there are several, as of a semaphore. Returns
    // std::nullopt if the lock is free.
    [[nodiscard]] std::optional<std::string> holder(std::string_view lock) const;

private:
    struct state;
    [[nodiscard]] state& mine() const;

    std::unique_ptr<state> state_;
};

namespace detail {

PAWL_EXPORT bool provide_memory_urls() noexcept;

// Makes memory: URLs work in the whole program if any part of it includes this header. A
// constructor inside the library would not be enough: linkers leave out a library that nothing
// refers to.
inline const bool memory_urls_are_provided = provide_memory_urls();

}  // namespace detail

}  // namespace pawl::testing
