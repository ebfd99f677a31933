// pawl::inspector shows operators what is on a store: which locks are in use, who has them, in which
// process, and who waits. It sends plain commands that read, a bounded number of keys at a time, so
// that a server with many locks still serves its clients. Only break_hold() changes something.
//
//   pawl::client client{"redis://127.0.0.1:6379"};
//   const auto lock = pawl::inspector{client}.look("stock:42");
//   for (const auto& each : lock.holders) std::cout << each.id << '\n';
//
//   kind of lock_info   what the key is                          holders
//   free                there is no such key                     none
//   mutex               a string: any lock of the plain layout   one
//   recursive_mutex     a hash with one holder                   one
//   shared_mutex        a sorted set without a capacity          a writer, or readers
//   counting_semaphore  a sorted set with a capacity             any number
//   latch, barrier      a hash with the state of a gate          none
//   leader              a list: a term                           one
//   once_per            as mutex, with a mark; or only a mark    one or none
//   foreign             the lock of another library, perhaps     one
//   not_a_lock          something else                           none
//   unknown             the server refused to tell               none
//
// What is read of a lock is not read in one step, so it may change hands in between.
#pragma once

#include <pawl/client.h>
#include <pawl/export.h>
#include <pawl/node.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

enum class lock_kind {
    free,
    mutex,
    recursive_mutex,
    shared_mutex,
    counting_semaphore,
    latch,
    barrier,
    leader,
    once_per,
    foreign,
    not_a_lock,
    unknown,
};

// Returns the name of the kind, for example "recursive_mutex" or "not_a_lock".
// Round trips: none.
// Threads: any thread may call it.
[[nodiscard]] PAWL_EXPORT std::string_view to_string(lock_kind kind) noexcept;

// The process of a client, as the names of its connections say. Only known if the server lists the
// connections, and if the client is connected.
struct process_info {
    std::string label;  // client_options::name, or "pawl"
    std::string host;
    std::int64_t pid{};
    std::string address;  // of one of its connections, as the server sees it
};

struct holder_info {
    // hold::id(), or the token of another library. It may have any bytes.
    std::string id;
    bool reader = false;       // of a shared_mutex: it shares the lock with other readers
    std::uint64_t weight = 1;  // permits of a semaphore; how many holds of a recursive_mutex
    std::string channel;       // 16 digits that name its client; empty if it is not pawl's
    std::optional<process_info> process;
    // At most for so long, by the server's clock: since the last fence that the server gave out by
    // its clock. Empty if a fence does not tell: of readers, of several holders of permits.
    std::optional<std::chrono::milliseconds> held_for;
    std::optional<std::chrono::milliseconds> lease_left;  // empty: no end, or not told
};

struct waiter_info {
    std::string id;
    bool reader = false;
    std::uint64_t weight = 1;
    std::string channel;
    std::optional<process_info> process;
    // Of a quorum, for how long it has waited. One server does not know it.
    std::optional<std::chrono::milliseconds> waited;
    // False if its place is over: it has crashed, and will be passed over.
    bool present = true;
    std::string candidate;  // of a leader: the name under which it stands
};

// Capacity and arrivals, for the kinds that have them.
struct counts_info {
    std::uint64_t capacity{};  // of a semaphore; arrivals that open a gate
    std::uint64_t used{};      // permits that are out; arrivals of this phase
};

struct lock_info {
    std::string name;
    lock_kind kind{};
    std::string server;  // where it is: its address without password; empty for a quorum
    std::vector<holder_info> holders;  // of many, the 1,000 whose leases end last
    std::uint64_t holder_count{};
    std::vector<waiter_info> queue;  // in order; the first 1,000. Empty from inspector::list()
    std::uint64_t waiters{};
    std::uint64_t fence{};  // the last number that was given out, or set aside; 0 if none is known
    std::optional<counts_info> counts;
    std::string payload;  // of a leader
    std::string mark;     // of a once_per: "done", "once HOLDER" or "retry HOLDER"
    std::optional<std::chrono::milliseconds> lease_left;  // of the key; empty: no end, or free
    std::string detail;                                   // what it is, if it is no lock of pawl
    // What is missing above, and why: the server refused a command, for example.
    std::vector<std::string> notes;
    std::vector<node_info> nodes;  // of a quorum, what each node says; only from inspector::look()
};

struct list_options {
    std::string pattern = "*";  // as for the command KEYS: * ? [a-z] and \ to escape
    bool foreign = false;       // also locks of other libraries
    // How many keys the server looks at in one command. 1 to 10,000. More is faster, but keeps
    // other clients waiting for longer.
    std::size_t page = 200;
};

struct list_summary {
    std::uint64_t locks{};           // for which the function was called
    std::uint64_t refused{};         // keys that the server refused to show
    bool complete = true;            // every server was listed
    std::vector<std::string> notes;  // servers that could not be listed, and what else is missing
};

struct break_order {
    std::string holder;  // whose hold is to end: holder_info::id
    std::string reason;  // for the holder's program and the log: up to 1,000 bytes, no NUL
    std::string by;      // who says so, for the log; up to 1,000 bytes, no NUL
};

enum class break_outcome {
    broken,  // the hold is over. If there is a waiter, it has the lock now
    free,    // nobody has the lock
    other,   // another holder has it, and keeps it
};

struct break_report {
    break_outcome outcome{};
    std::string note;  // why the log has no entry of it; empty if it has
};

class PAWL_EXPORT inspector {
public:
    // The client must outlive it. An inspector is as cheap as a pointer.
    // Round trips: none.
    explicit inspector(client& of) noexcept : client_{&of} {}

    // Looks at one lock: its holders, its queue, and the processes behind them. Of a quorum, the
    // holder is the one for which a majority of the nodes has voted, and `nodes` has what each says.
    // Round trips: up to five; of a quorum each of them to all nodes at the same time.
    // On failure: throws pawl::error (bad_argument if the name is not 1 to 512 bytes without NUL,
    //     unreachable, no_quorum if no node answers, refused, wrong_process). Commands that the
    //     server refuses are named in `notes`.
    // Threads: any thread may call it.
    // Cancellation: none. Each round trip ends within client_options::command_limit.
    [[nodiscard]] lock_info look(std::string_view name) const;

    // Calls `found` for each lock in use whose name matches the pattern, until it returns false. In
    // no order, each lock once. Locks that are taken or freed meanwhile may be missing. Keys that begin
    // with `pawl:` are not locks and are left out.
    // Round trips: about four for each `page` keys of each server.
    // On failure: throws pawl::error (bad_argument, wrong_process; unreachable, refused or no_quorum
    //     if no server could be listed). If some can be listed, `notes` names the others. What
    //     `found` throws comes out.
    // Threads: any thread may call it. `found` is called in the calling thread.
    // Cancellation: by `found`. Each round trip ends within client_options::command_limit.
    list_summary list(const list_options& which,
                      const std::function<bool(const lock_info&)>& found) const;

    // Ends the hold of one holder by force, in one step, and hands the lock over as a release does. A
    // client that listens is told at once: its hold is `lost`, with the cause `broken` and the reason
    // as the detail of the event. A client listens once it has had to wait for a lock, or has one with
    // `linger`. Any other one notices at its next renewal: `vanished` or `taken`. Until the robbed
    // holder notices, two may be at work, so only a resource that checks the fence is safe.
    //
    // An entry in the stream `pawl:log` of the store says who broke which hold, and why.
    // Round trips: as look(), and two.
    // On failure: throws pawl::error (bad_argument; not_a_lock; refused, also for a quorum, whose
    //     holders would take their votes back; unreachable, wrong_process). If the answer got lost,
    //     the hold may be over.
    // Threads: any thread may call it.
    // Cancellation: none. Each round trip ends within client_options::command_limit.
    [[nodiscard]] break_report break_hold(std::string_view name, const break_order& order) const;

private:
    client* client_;
};

}  // namespace pawl
