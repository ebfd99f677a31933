// The settings of a client and of a lock, with their defaults.
//
// The constructors of the client and of the mutexes check all settings. A bad value throws
// pawl::error (bad_argument); the message gives the value and the allowed range.
//
// Every member has an initialiser, so that {.lease = 5s} compiles without a warning.
#pragma once

#include <pawl/event.h>
#include <pawl/log.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pawl {

// Allowed with TLS only: rediss://, rediss+sentinel://, rediss+cluster://. An empty ca_file means
// the system's certificates. An empty cert_file means no client certificate.
struct tls_options {
    std::string ca_file{};
    std::string cert_file{};  // client certificate, PEM; needs key_file
    std::string key_file{};
    std::string server_name{};  // for SNI and verification; default: the host of the URL
    bool verify = true;         // false accepts any certificate: for tests only
};

// How sentinels are reached, with redis+sentinel:// and rediss+sentinel:// only. Set at most one of
// the three password members.
struct sentinel_options {
    std::string user{};
    std::string password{};
    std::string password_file{};      // path; the first line is read on each connect
    std::string password_env{};       // name of an environment variable
    std::optional<bool> encrypted{};  // TLS; unset: as the scheme of the URL says
    tls_options tls{};
};

// How many replicas must have acknowledged a grant or a renewal before it counts. Off by default.
//
//   options.acknowledged = 1;                                   one replica
//   options.acknowledged = pawl::acknowledgement::majority();   with the primary, a majority of all
//
// Some of what was granted can still be lost in a failover: docs/guarantees.md, "What each level
// promises". No function makes a round trip, and any thread may call them.
class acknowledgement {
public:
    constexpr acknowledgement() noexcept = default;  // off
    // NOLINTNEXTLINE(google-explicit-constructor): a number says it all
    constexpr acknowledgement(int replicas) noexcept : replicas_{replicas} {}

    // More than half of the servers: the primary and the greatest number of replicas that this
    // client has seen there, but at least one.
    [[nodiscard]] static constexpr acknowledgement majority() noexcept
    {
        acknowledgement made;
        made.majority_ = true;
        return made;
    }

    [[nodiscard]] constexpr bool is_on() const noexcept { return majority_ || replicas_ != 0; }
    [[nodiscard]] constexpr bool is_majority() const noexcept { return majority_; }
    [[nodiscard]] constexpr int replicas() const noexcept { return replicas_; }

    bool operator==(const acknowledgement&) const = default;

private:
    int replicas_ = 0;
    bool majority_ = false;
};

struct client_options {
    // redis://[user[:password]@]host[:port][/database]   one server
    // rediss://…                                         the same over TLS
    // redis+sentinel://[user[:password]@]host[:port],host…/service[/database]
    //                                                    a primary that sentinels know under the
    //                                                    name `service`; user and password are
    //                                                    those of the primary
    // rediss+sentinel://…                                the same over TLS
    // redis+cluster://[user[:password]@]host[:port],host…
    //                                                    a Redis Cluster: some of its nodes
    // rediss+cluster://…                                 the same over TLS
    // redlock:url,url,url                                a quorum of 3, 5 or 7 independent servers:
    //                                                    redis://, rediss:// or unix: each
    // unix:/path/to/socket                               one server on this machine
    // local:                                             a private server of this user, started on
    //                                                    first use: local_server.h
    // memory:[name]                                      a server in this process, for tests:
    //                                                    testing.h; needs the library pawl::testing
    //
    // Query parameters (?a=b&c=d): db, name, password_file, password_env, ca_file, cert_file,
    // key_file, server_name, verify=on|off, acknowledged=N|majority. With sentinels also:
    // sentinel_user, sentinel_password_file, sentinel_password_env, sentinel_tls=on|off,
    // sentinel_ca_file, sentinel_cert_file, sentinel_key_file, sentinel_server_name,
    // sentinel_verify=on|off. The members below override the URL. There is one exception:
    // certificates are not verified if either the URL or tls.verify says so; for the sentinels
    // likewise.
    std::string url = "redis://127.0.0.1:6379";

    // Set at most one of the three password members.
    std::string user{};
    std::string password{};
    std::string password_file{};  // path; the first line is read on each connect, for rotation
    std::string password_env{};   // name of an environment variable
    std::optional<int> database{};
    // The connections at the server are named LABEL:HOST:PID:CHANNEL. This is the label; the default
    // is `pawl`. The ids of this client's holds end with CHANNEL: the first 16 digits of its id.
    std::string name{};
    tls_options tls{};

    // Instead of `url`: the nodes of a quorum, as in redlock:. The members above are for each node.
    std::vector<std::string> nodes{};

    sentinel_options sentinel{};

    // For a server with replicas: an acquire, a hand-over and a renewal count only when this many
    // replicas have acknowledged them. If fewer do, the lock is not granted (`unreachable`), and is
    // given back; a renewal has failed. Costs a round trip between the servers, and a hand-over
    // costs one more request. 0 – 64; 0 is off. Not with a quorum.
    acknowledgement acknowledged{};

    // Longest time for making one connection, with its handshake. 10 ms – 10 min.
    std::chrono::milliseconds connect_limit{2'000};

    // Longest time for one operation on the server, with repeats and reconnects. 10 ms – 10 min.
    // There is one exception: an acquire gives each request at least 100 ms for its answer, even if
    // command_limit is shorter.
    std::chrono::milliseconds command_limit{3'000};

    // How long the destructor of the client waits at most. 0 – 10 min. It waits for locks that are
    // being given back. Of a quorum, it also waits until each node has answered the last releases,
    // or has been silent for half a second.
    std::chrono::milliseconds shutdown_limit{1'000};

    // Number of connections for blocking calls. 1 – 1024. If more threads make calls at the same
    // time, they take turns.
    std::size_t pool_size = 16;

    // Drift: how much the length of a second may differ between this machine's clock and the
    // server's, as a fraction. Local deadlines are shortened by it. 0 – 0.5.
    double clock_drift = 0.01;

    // With redlock: or `nodes` only: no lock may have a longer lease. A node that has lost its data
    // does not vote for this time and a little more, because it may have forgotten a lock. All
    // clients of the quorum must have the same value. 10 ms – 60 s.
    std::chrono::milliseconds longest_lease{60'000};

    // Names of locks that client::metrics() counts one by one, besides the sum of all. 0 – 100 names,
    // of 1 to 512 bytes each, any byte except NUL. A lock_set counts in the sum only.
    std::vector<std::string> measured_locks{};

    // Called for every change of state of a hold of this client (event.h), in order. A grant is not
    // reported: the first event of a hold comes when it leaves the state `held`. It runs on a
    // thread of the client, which holds no internal lock: the handler may call pawl. It must not
    // throw. A slow handler delays later events; it does not delay renewals, deadlines or lost(). A
    // handler that is running when the client is destroyed may end after the client.
    std::function<void(const event&)> on_event{};

    // Called with each record of the log (log.h), on the same thread as on_event, and under the same
    // rules. A record about an event comes just before on_event is called for it.
    std::function<void(const log_record&)> log{};
};

// How a lock is stored on the server. docs/wire.md describes both layouts.
enum class layout {
    plain,  // a string: SET key holder NX PX lease
    hash,   // a hash: holder → count
};

// Wait in the server's queue. A release grants the lock to the first waiter, and the server tells
// its client. A waiter sends no requests while nothing changes, except one to keep its place: every
// third of its lease, or every 0.5 s if the lease is shorter than 1.5 s. While a holder of another
// library has the lock, the waiter asks every 20 to 100 ms, because such a holder tells no waiter
// when it releases the lock.
struct notify {};

// Wait by asking again. Each pause is between half the interval and the interval. The waiter has no
// place in the queue, so there is no order, and it can starve while others wait in the queue.
// `poll` is for callers that want to choose the interval. It is not needed for a lock that is
// shared with other libraries: `notify` works there too.
struct poll {
    std::chrono::milliseconds interval{100};  // 1 ms – 1 min
};

struct lock_options {
    std::chrono::milliseconds lease{30'000};  // 10 ms – 24 h; on a quorum to longest_lease
    bool renew = true;                        // every third of the lease while held
    std::variant<notify, poll> wait{};

    // Unset: plain; hash for recursive_mutex. Must be unset for shared_mutex, counting_semaphore,
    // leader and once_per.
    std::optional<pawl::layout> layout{};

    // How long this client keeps the lock after the last release. If one of its threads acquires
    // the lock again in that time, that costs no round trip. unlock() does not free the lock on the
    // server at once. The client releases it when `linger` has passed, or earlier if another client
    // asks for the lock. If that client waits, it gets the lock after four messages (two round
    // trips). 0 – 1 min; 0 is off. Needs `renew` and `notify`. Only for mutex and recursive_mutex,
    // and not on a quorum.
    std::chrono::milliseconds linger{0};

    // The longest time for which one grant can be held, however long the work takes and whatever
    // extend() asks for. The lock is not renewed beyond that time. If it has not been released by
    // then, it is lost (cause `held_too_long`), and the lease on the server ends soon after: it may
    // last longer by the drift, and by command_limit if extend() was repeated. The time counts from
    // just before the request that was granted was sent; for a lock that is passed on inside the
    // process, from when it was passed on. A re-entry does not prolong it. Readers that share a
    // lease (shared_mutex.h) share the time of the first of them, which is at most 10 ms earlier. A
    // `lease` that is longer than this is shortened to it. 10 ms – 30 days; 0 is off.
    std::chrono::milliseconds longest_hold{0};

    // The lock is renewed only while the holder makes progress: only if it was granted, or
    // hold::beat() was called, within the last `heartbeat`. When a renewal is due and there was no
    // call in that time, the renewal is left out, and the hold is in jeopardy (cause `no_beat`). It
    // is renewed soon after the next call of beat(). Without one it is lost (cause `no_beat`) at
    // its deadline: at most heartbeat + lease after the last call. So a thread that hangs loses its
    // lock, although its process lives on and could renew it. extend(), ensure() and re-entries do
    // not count as progress. With a heartbeat, readers of a shared_mutex do not share leases.
    // 10 ms – 24 h; 0 is off. Needs `renew`.
    std::chrono::milliseconds heartbeat{0};

    // If true, the server publishes every release that it executes to the channel
    // lock:release:NAME. docs/wire.md describes the message.
    bool announce = true;
};

}  // namespace pawl
