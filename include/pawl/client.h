// pawl::client connects this process to one store: a server, a primary with replicas, a Redis
// Cluster or a quorum. It owns the connections, renews the locks and reports events. Make one
// client per process and store, and pass it to the mutexes by reference.
//
//   pawl::client client{"redis://127.0.0.1:6379"};
//
//   state         what may be called
//   alive         everything, from any thread
//   destroyed     nothing. Holds that still exist are lost (cause `closed`). They are not renewed
//                 any more, but not released either: the lock stays taken until its lease ends, to
//                 protect code that still runs under it
//   forked        in a child process every call that needs the server fails with
//                 errc::wrong_process, and all holds are lost there. Destroying the client there
//                 does not affect the parent
#pragma once

#include <pawl/event.h>
#include <pawl/export.h>
#include <pawl/metrics.h>
#include <pawl/node.h>
#include <pawl/options.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace pawl {

// Describes a hold of this client that is neither lost nor released.
struct hold_info {
    std::string lock;
    std::string id;
    std::uint64_t fence{};
    hold_state state{};
    std::chrono::nanoseconds valid_for{};
};

class PAWL_EXPORT client {
public:
    // Checks the options and starts the client's thread.
    // Round trips: none. Connections are made when they are first needed. The threads that report a
    //     lost lock are started by the first call that acquires a lock.
    // On failure: throws pawl::error (bad_argument).
    explicit client(std::string_view url);
    explicit client(client_options options);

    // Ends renewals and closes all connections. Asynchronous acquires in progress end with
    // `cancelled`. Returns within client_options::shutdown_limit, even if the server does not
    // answer.
    // Threads: an event handler of this client may destroy it.
    ~client();

    client(const client&) = delete;
    client& operator=(const client&) = delete;

    // Checks that the server answers: with sentinels the primary, in a Cluster every primary, of a
    // quorum a majority of the nodes.
    // Round trips: one; in a Cluster one to each primary, one after the other; of a quorum one to
    //     each node, at the same time. With sentinels and in a Cluster, more if the primaries are
    //     not known yet.
    // On failure: throws pawl::error or sets ec (unreachable, refused, no_quorum, wrong_process).
    // Threads: any thread may call it.
    // Cancellation: none. It ends within client_options::command_limit.
    void ping();
    void ping(std::error_code& ec) noexcept;

    // Returns the holds of this client that are neither lost nor released.
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] std::vector<hold_info> holds() const;

    // Asks every node of a quorum, and returns what is known of each, in the order of the URL.
    // Empty if the URL does not name a quorum.
    // Round trips: one to each node, at the same time.
    // On failure: throws pawl::error (wrong_process). A node that does not answer is `unreachable`.
    // Threads: any thread may call it.
    // Cancellation: none. It ends within client_options::command_limit.
    [[nodiscard]] std::vector<node_info> nodes() const;

    // The same, and what each node says of the lock with this name: node_info::lock. Any name may be
    // asked about, whether this client uses it or not. Nothing is changed at the nodes. The nodes are
    // asked one by one, so while the lock changes hands they may name different holders.
    // Round trips: one to each node, at the same time.
    // On failure: throws pawl::error (bad_argument if the name is not 1 to 512 bytes without NUL,
    //     wrong_process). A node that does not answer is `unreachable`.
    // Threads: any thread may call it.
    // Cancellation: none. It ends within client_options::command_limit.
    [[nodiscard]] std::vector<node_info> nodes(std::string_view lock) const;

    // Says that the nodes of a quorum are new: they may vote at once. Call it once, when all nodes
    // of a new installation run. Otherwise each of them waits until all locks that it may have
    // forgotten have ended. If a node has or had locks, nothing is changed, unless `force` is true.
    // A lock is seen by its fence, a key pawl:fence:…, which stays for 24 hours after the last use.
    // Only the database of the node's URL is searched. Never use `force` while clients hold locks:
    // a node that was emptied may then vote twice.
    // Round trips: a few to each node, at the same time.
    // On failure: throws pawl::error (no_quorum if a node does not answer, refused if a node has or
    //     had locks, bad_argument if the URL does not name a quorum, wrong_process).
    // Threads: any thread may call it.
    // Cancellation: none. It ends within 10 times client_options::command_limit.
    void init_nodes(bool force = false);

    // Returns what this client has counted since it was made: metrics.h. In a child process after
    // fork() all figures are 0. The figures are read one after another while others may count. So an
    // event of that moment may be in one of them and not yet in another.
    // Round trips: none.
    // On failure: throws std::bad_alloc only.
    // Threads: any thread may call it. No call waits for it longer than for any other call of the
    //     client; it takes a few microseconds, and as long again for each of measured_locks.
    // Cancellation: none. It does not wait.
    [[nodiscard]] pawl::metrics metrics() const;

    // Returns the id of this client: 32 hexadecimal digits, new for each client.
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] const std::string& id() const noexcept;

    // Returns the address of the server, or those of the servers in the URL, without any password.
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] const std::string& server() const noexcept;

private:
    friend struct client_access;

    class state;
    explicit client(std::shared_ptr<state> made) noexcept;

    std::shared_ptr<state> state_;
};

}  // namespace pawl
