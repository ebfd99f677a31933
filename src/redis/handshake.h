// The first commands on a connection: the user, the protocol version, the name, the database.
//
//   HELLO 3 [AUTH user password] SETNAME name
//     └─ if unknown: [AUTH …], CLIENT SETNAME name      (servers before 6.0, or HELLO renamed away)
//   SELECT n, unless it is 0
//   INFO server, for the run id of a node of a quorum
//
// HELLO includes the other commands, so that a user of the server needs no further permissions.
#pragma once

#include "base/clock.h"
#include "redis/failure.h"
#include "redis/resp.h"
#include "redis/url.h"

#include <string>
#include <string_view>

namespace pawl::redis {

// The facts about the server that matter.
struct server_facts {
    int major_version = 0;  // 0: unknown, treated as old
    bool resp3 = false;     // messages can come between replies, and the server can have a queue
    bool replica = false;   // it grants no locks
    bool cluster = false;   // it is a node of a Cluster

    // A time at which the connection existed. Since then the server has not restarted, so it still
    // has its data.
    base::boot_time since{};

    // Of a node of a quorum: it is another one after each start of the server. Otherwise empty.
    std::string run_id{};

    // Whether scripts may begin with a line that sets their flags.
    [[nodiscard]] bool knows_script_flags() const noexcept { return major_version >= 7; }

    // Whether messages go through sharded channels.
    [[nodiscard]] bool shards_channels() const noexcept { return cluster && major_version >= 7; }
};

class handshake {
public:
    explicit handshake(const server_config& config);

    enum class status { more, done, failed };

    // Appends the first requests to `out`. `failed` if the password cannot be read.
    [[nodiscard]] status start(std::string& out);

    // Takes a reply, and appends the next requests.
    [[nodiscard]] status on_reply(const reply_view& reply, std::string& out);

    // After `done`: sets facts().since, because this class has no clock.
    void note_time(base::boot_time now) noexcept { facts_.since = now; }

    [[nodiscard]] const server_facts& facts() const noexcept { return facts_; }

    // After `failed`.
    [[nodiscard]] const failure& problem() const noexcept { return problem_; }

private:
    enum class stage { hello, auth, set_name, select, info };

    status say_hello(std::string& out);
    status say_auth(std::string& out);
    status say_name(std::string& out);
    status say_select(std::string& out);
    status say_info(std::string& out);
    status read_info(std::string_view text);
    void read_facts(const reply_view& hello);
    [[nodiscard]] static bool has_lpos(std::string_view version);
    void check_mode(std::string_view mode);
    [[nodiscard]] bool must_authenticate() const noexcept;
    [[nodiscard]] bool is_without_hello(std::string_view error) const noexcept;
    [[nodiscard]] std::string without_password(std::string_view text) const;

    const server_config* config_;
    stage stage_ = stage::hello;
    std::string password_;
    server_facts facts_;
    failure problem_;
};

}  // namespace pawl::redis
