// Random requests for a server and the engine: pawl's scripts, other scripts, and single commands.
// Most of them are valid and some are not.
#pragma once

#include "integration/engine_comparison.h"
#include "redis/scripts.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::test {

struct engine_request {
    std::vector<std::string> words;
    time_in_reply time = time_in_reply::none;
    bool any_order = false;
    bool by_listener = false;  // from the second connection, which has the subscriptions
};

// All keys that the requests use.
[[nodiscard]] const std::vector<std::string>& engine_keys();

// All channels that have subscribers.
[[nodiscard]] const std::vector<std::string>& engine_channels();

class engine_requests {
public:
    explicit engine_requests(std::uint64_t seed);

    [[nodiscard]] engine_request next();

private:
    using choice = std::initializer_list<std::string_view>;

    struct waiter {
        std::string name;
        std::string client;
        std::string lease;
        std::string reserve;
    };

    [[nodiscard]] bool chance(double probability);
    [[nodiscard]] std::size_t below(std::size_t limit);
    [[nodiscard]] std::string one_of(choice words);
    [[nodiscard]] std::string key();
    [[nodiscard]] std::string lock();
    [[nodiscard]] std::vector<std::string> lock_with_queue(const redis::script& script);
    [[nodiscard]] std::string name();
    [[nodiscard]] std::string number();
    [[nodiscard]] std::string score();
    [[nodiscard]] std::string bound();
    [[nodiscard]] std::string lease();
    [[nodiscard]] std::string kept_until();
    [[nodiscard]] std::string used();
    [[nodiscard]] std::string reserved();
    [[nodiscard]] std::string reserve();
    [[nodiscard]] std::string long_and_unique();
    [[nodiscard]] std::string pattern();

    [[nodiscard]] engine_request in_a_crowd();
    [[nodiscard]] engine_request listening();
    [[nodiscard]] engine_request our_script();
    [[nodiscard]] waiter new_or_recent_waiter();
    [[nodiscard]] engine_request acquire(const redis::script& script);
    [[nodiscard]] engine_request keep(const redis::script& script);
    [[nodiscard]] engine_request release(const redis::script& script);
    [[nodiscard]] engine_request renew(const redis::script& script);
    [[nodiscard]] engine_request script_call(const redis::script& script,
                                             std::vector<std::string> keys,
                                             std::vector<std::string> arguments);
    [[nodiscard]] engine_request command();
    [[nodiscard]] engine_request key_command();
    [[nodiscard]] engine_request string_command();
    [[nodiscard]] engine_request hash_command();
    [[nodiscard]] engine_request list_command();
    [[nodiscard]] engine_request sorted_set_command();
    [[nodiscard]] engine_request server_command();
    [[nodiscard]] engine_request command_in_script();
    [[nodiscard]] engine_request small_script();
    void disturb(engine_request& request);

    std::mt19937_64 random_;
    bool crowded_;  // almost all requests are about a few waiters and two locks, one of each layout
    int leases_ = 0;
    std::vector<waiter> asked_;  // the last ones
};

}  // namespace pawl::test
