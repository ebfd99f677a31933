// The first words on a connection: who we are, which protocol, which database.
//
//   HELLO 3 [AUTH user password] SETNAME name
//     └─ not known: [AUTH …], CLIENT SETNAME name      (servers before 6.0, or HELLO renamed away)
//   SELECT n, unless it is 0
//
// HELLO carries everything else along, so that a user of the server needs no further permission.
#pragma once

#include "base/clock.h"
#include "redis/failure.h"
#include "redis/resp.h"
#include "redis/url.h"

#include <string>
#include <string_view>

namespace pawl::redis {

// What the server is, as far as it matters.
struct server_facts {
    int major_version = 0;  // 0: unknown, and then old
    bool resp3 = false;     // messages can come between replies
    bool replica = false;   // it takes no locks

    // Since when we are connected to it, at the latest: so long it has not been restarted, and has its
    // data.
    base::boot_time since{};

    // Whether scripts may open with a line that sets their flags.
    [[nodiscard]] bool knows_script_flags() const noexcept { return major_version >= 7; }
};

class handshake {
public:
    explicit handshake(const server_config& config);

    enum class status { more, done, failed };

    // Appends the first requests to `out`. `failed`: the password cannot be read.
    [[nodiscard]] status start(std::string& out);

    // Takes a reply, and appends what is to be sent next.
    [[nodiscard]] status on_reply(const reply_view& reply, std::string& out);

    // After `done`, by whoever has a clock.
    void note_time(base::boot_time now) noexcept { facts_.since = now; }

    [[nodiscard]] const server_facts& facts() const noexcept { return facts_; }

    // After `failed`.
    [[nodiscard]] const failure& problem() const noexcept { return problem_; }

private:
    enum class stage { hello, auth, set_name, select };

    status say_hello(std::string& out);
    status say_auth(std::string& out);
    status say_name(std::string& out);
    status say_select(std::string& out);
    void read_facts(const reply_view& hello);
    void check_mode(std::string_view mode);
    [[nodiscard]] bool must_authenticate() const noexcept;
    [[nodiscard]] std::string without_password(std::string_view text) const;

    const server_config* config_;
    stage stage_ = stage::hello;
    std::string password_;
    server_facts facts_;
    failure problem_;
};

}  // namespace pawl::redis
