// What a sentinel says about a service, and how it is asked.
#pragma once

#include "redis/failure.h"
#include "redis/resp.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::store {

struct server_address {
    std::string host;
    std::uint16_t port = 0;

    bool operator==(const server_address&) const = default;
};

struct sentinel_answer {
    enum class kind {
        primary,          // it names one
        unknown_service,  // it watches no such service
        refused,          // it does not answer this client, now and later
        no_answer,
    };
    kind what = kind::no_answer;
    server_address primary{};
    std::uint64_t epoch = 0;  // of `primary`; grows with each failover
    std::string detail{};     // of `refused` and `no_answer`
    bool nobody_listens =
        false;  // of `no_answer`: the system reported at once that there is no sentinel

    bool operator==(const sentinel_answer&) const = default;
};

// Two commands, with one reply each: SENTINEL MASTER, for the epoch, and SENTINEL GET-MASTER-ADDR-BY-NAME.
// During a failover only the second one names the new primary. It is the last one: if a failover happens
// between them, the epoch is too small, and never too great for the address.
void append_question(std::string& out, std::string_view service);

class answer_reader {
public:
    // The replies, in this order. True after the last one.
    [[nodiscard]] bool on_reply(const redis::reply_view& reply);

    [[nodiscard]] sentinel_answer take() const { return answer_; }

private:
    void read_epoch(const redis::reply_view& reply);
    void read_address(const redis::reply_view& reply);

    bool has_first_ = false;
    std::optional<std::uint64_t> epoch_;
    sentinel_answer answer_;
};

// The answer of a sentinel that could not be asked.
[[nodiscard]] sentinel_answer answer_of(const redis::failure& why);

// Whether a message of the channel +switch-master ("SERVICE HOST PORT HOST PORT") is about this service.
[[nodiscard]] bool is_about(std::string_view message, std::string_view service) noexcept;

}  // namespace pawl::store
