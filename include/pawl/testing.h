// For tests of programs that use pawl: a server in this process, and the levers to bring about what
// seldom happens. No Redis is needed, and an hour passes in milliseconds.
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
//   assert(held.lost().stop_requested());                // nobody could renew it
//
//   lever                    what clients see                                     until
//   advance                  time passes, for the server and all its clients      –
//   freeze                   no answers; what was asked is done when it thaws     thaw
//   cut_off                  one client: neither questions nor answers pass       reconnect
//   lose, lose_data          keys are gone; holders learn of it when they renew   –
//   fill_memory              acquiring is refused; renewing and releasing work    free_memory
//   flush_scripts            nothing: scripts are sent again                      –
//
// Not part of <pawl/pawl.h>, and in a library of its own: link pawl::testing (pkg-config:
// pawl-testing). Any file that includes this makes memory: URLs work in the whole program.
//
// All functions may be called from any thread, a client's handlers included; after fork() they throw
// errc::wrong_process in the child.
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
    // A server of its own, with a name that no other has.
    memory_server();

    // The one that memory:NAME stands for, also for clients that are there already. A name is 1 to
    // 64 letters, digits, '_', '.' and '-'. Throws pawl::error (bad_argument).
    explicit memory_server(std::string_view name);

    // Clients go on. If this was the last memory_server of that name, what was frozen is thawed,
    // who was cut off is reconnected, and memory is free.
    ~memory_server();

    memory_server(const memory_server&) = delete;
    memory_server& operator=(const memory_server&) = delete;

    // What a client of it is made with: memory:NAME.
    [[nodiscard]] const std::string& url() const noexcept;

    // Lets time pass, as if one had waited. 0 to 365 days, in steps: from one moment at which
    // something is due to the next, and each time until it was done. So a lock that is renewed
    // stays held, however far one goes; one that cannot be renewed is lost at its deadline; and who
    // waits for a lock gets it when it becomes free.
    //
    // When it returns, all that became due has happened: leases ended, locks renewed or lost,
    // stop_tokens asked, on_event called; unless a handler or callback took longer than a second of
    // real time, or calls this itself. A thread that waited in a call was given its answer; what it
    // does next may still be ahead. Calls that other threads begin meanwhile begin afterwards.
    //
    // Each renewal, and each time that a waiting caller asks, costs some tenths of a millisecond.
    // Throws pawl::error (bad_argument).
    void advance(std::chrono::nanoseconds by);

    // The server stops answering, as a process does that was stopped, once what was due before is
    // done. What is asked meanwhile is executed when it thaws, even if nobody waits for it any
    // more. Calls wait for their limits, as always: in real time, unless another thread advances
    // it.
    void freeze();
    void thaw();

    // Nothing passes between this client and the server, as if a cable had been pulled; what was
    // due before is done before. Throws pawl::error (bad_argument) if it is a client of another
    // server.
    void cut_off(client& who);
    void reconnect(client& who);

    // The lock is gone, as if an operator had deleted its key; its fence goes on. The holder learns
    // of it when he next asks: advance() by a third of the lease.
    void lose(std::string_view lock);

    // Everything is gone, as after a restart without data. Fences go on even so.
    void lose_data();

    // Everything that would take memory is refused.
    void fill_memory();
    void free_memory();

    // The server forgets the scripts that it was sent.
    void flush_scripts();

    // As the server sees it, frozen or not.
    [[nodiscard]] bool is_locked(std::string_view lock) const;

    // hold::id() of who has it, or what was named as the holder; nothing if nobody has it.
    [[nodiscard]] std::optional<std::string> holder(std::string_view lock) const;

private:
    struct state;
    [[nodiscard]] state& mine() const;

    std::unique_ptr<state> state_;
};

namespace detail {

PAWL_EXPORT bool provide_memory_urls() noexcept;

// Makes memory: URLs work in every part of a program that includes this header in one. A constructor
// inside the library would not do: linkers leave out a library to which nobody refers.
inline const bool memory_urls_are_provided = provide_memory_urls();

}  // namespace detail

}  // namespace pawl::testing
