// The settings of a client and of a lock, with their defaults.
//
// All are checked when the client or the lock is made; a bad value throws pawl::error with
// errc::bad_argument and a message that names the value and what is allowed.
//
// Every member has an initialiser, so that {.lease = 5s} compiles without a warning.
#pragma once

#include <pawl/event.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace pawl {

// Used with rediss:// only. Empty paths mean: the system's certificates, no client certificate.
struct tls_options {
    std::string ca_file{};
    std::string cert_file{};  // client certificate, PEM; needs key_file
    std::string key_file{};
    std::string server_name{};  // for SNI and verification; by default the URL's host
    bool verify = true;         // false accepts any certificate: for tests only
};

struct client_options {
    // redis://[user[:password]@]host[:port][/database]   one server
    // rediss://…                                         the same over TLS
    // unix:/path/to/socket                               one server on this machine
    // local:                                             this user's private server, started on use
    // memory:[name]                                      in this process, for tests: testing.h,
    //                                                    in a library of its own, pawl::testing
    //
    // Query parameters (?a=b&c=d): db, name, password_file, password_env, ca_file, cert_file,
    // key_file, server_name, verify=on|off. What is set below wins over what the URL says; certificates are
    // not verified if either says so.
    std::string url = "redis://127.0.0.1:6379";

    std::string user{};
    std::string password{};       // at most one of these three
    std::string password_file{};  // its first line is read on each connect, so it can be rotated
    std::string password_env{};   // the name of an environment variable
    std::optional<int> database{};
    std::string name{};  // connection name; by default pawl:HOST:PID
    tls_options tls{};

    std::chrono::milliseconds connect_limit{
        2'000};  // one connect with its handshake; 10 ms – 10 min
    std::chrono::milliseconds command_limit{3'000};  // one command, repeats and reconnects included
    std::chrono::milliseconds shutdown_limit{1'000};  // the destructor's patience; 0 – 10 min
    std::size_t pool_size =
        16;  // connections for blocking calls; 1 – 1024. More callers take turns.

    // How much a second may differ between this machine's clock and the server's, as a fraction.
    // Local deadlines are shortened by it. 0 – 0.5.
    double clock_drift = 0.01;

    // Called for every change of state of a hold of this client, in order, on a thread of the
    // client that holds no lock: pawl may be called from it. It must not throw. A slow handler delays
    // later events, but neither renewals nor deadlines nor lost(), and may run on for a while after
    // the client is gone.
    std::function<void(const event&)> on_event{};

    // Called with one line of text, never with a password, on that same thread.
    std::function<void(log_level, std::string_view)> log{};
};

// How a lock lies on the server. docs/wire.md describes both.
enum class layout {
    plain,  // a string: SET key holder NX PX lease
    hash,   // a hash: holder → count
};

// Wait in the server's queue, and be told: the release of one is the grant of the next. No requests
// while nothing changes, but a sign of life every third of the lease, or of 1.5 s if that is
// longer.
struct notify {};

// Wait by asking again after pauses between half the interval and the interval. For a lock that is
// shared with libraries which tell nobody when they release it.
struct poll {
    std::chrono::milliseconds interval{100};  // 1 ms – 1 min
};

struct lock_options {
    std::chrono::milliseconds lease{30'000};  // 10 ms – 24 h
    bool renew = true;                        // every third of the lease while held
    std::variant<notify, poll> wait{};
    std::optional<pawl::layout> layout{};  // unset: plain, but hash for recursive_mutex

    // How long this client keeps the lock after the last release, in case it is wanted here again:
    // then it costs no round trip. Someone else who asks and waits gets it with two round trips of
    // messages, so unlock() then means "whoever asks may have it" and no longer "it is free".
    // 0 – 1 min; 0 is off. Needs `renew` and `notify`; not for fair_mutex.
    std::chrono::milliseconds linger{0};

    // Publish every release at the server to the channel lock:release:NAME, for anyone who listens.
    // docs/wire.md has the text.
    bool announce = true;
};

}  // namespace pawl
