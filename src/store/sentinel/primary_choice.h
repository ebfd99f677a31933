// Which server is the primary, by the answers of the sentinels. It has no connection and no clock.
//
// Sentinels do not always agree: after a failover the one that led it knows first, and others follow within
// seconds. A sentinel that was cut off knows least. Each of them numbers its configurations, and the number
// (`config-epoch`) grows with each failover. So:
//
//   nothing is known yet           waits for the answers of a majority, or of all that can be reached, or for
//                                  200 ms, and believes the greatest number
//   one answer has a greater       believes it at once: the old primary still accepts writes
//     number than the known one
//   other answers                  are out of date, and are ignored
//   a majority has named the same  believes it, whatever the number: someone has set up the sentinels anew, and
//     other server for 10 s        they count from 0 again
#pragma once

#include "base/clock.h"
#include "core/failure.h"
#include "store/sentinel/answer.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pawl::store {

class primary_choice {
public:
    // `sentinels`: their addresses, for messages.
    primary_choice(std::string service, std::vector<std::string> sentinels)
        : service_{std::move(service)}, names_{std::move(sentinels)}, answers_(names_.size())
    {
    }

    // The last answer of a sentinel.
    void answered(std::size_t which, sentinel_answer what, base::boot_time now);

    // To be called from time to time.
    void look(base::boot_time now);

    struct primary {
        server_address where;
        std::uint64_t epoch = 0;
        unsigned number = 0;  // grows with each change; a server that comes back has a new one
    };
    [[nodiscard]] const std::optional<primary>& believed() const noexcept { return believed_; }

    // Why no primary is known. Nothing if one is known, or if an answer is still to come.
    [[nodiscard]] std::optional<core::failure> problem() const;

    // How many sentinels answered last time they were asked.
    [[nodiscard]] std::size_t reachable() const;

    static constexpr std::chrono::milliseconds longest_wait_for_others{200};
    static constexpr std::chrono::seconds trust_in_majority_after{10};

private:
    void choose_first(base::boot_time now);
    void follow_majority(base::boot_time now);
    void overrule(const server_address& by);
    [[nodiscard]] bool is_overruled(const sentinel_answer& what) const;
    void believe(const server_address& where, std::uint64_t epoch);
    [[nodiscard]] const sentinel_answer* newest() const;
    [[nodiscard]] std::size_t named_by(const server_address& where) const;
    [[nodiscard]] std::size_t count(sentinel_answer::kind what) const;
    [[nodiscard]] std::optional<server_address> named_by_majority() const;
    [[nodiscard]] bool is_majority(std::size_t how_many) const noexcept
    {
        return 2 * how_many > answers_.size();
    }

    std::string service_;
    std::vector<std::string> names_;
    std::vector<std::optional<sentinel_answer>> answers_;  // the last one of each sentinel
    std::optional<base::boot_time> first_answer_;
    std::optional<primary> believed_;
    // What a majority names instead of the believed one, and since when.
    std::optional<std::pair<server_address, base::boot_time>> other_;
    std::vector<sentinel_answer> overruled_;  // by the majority, although their numbers are greater
};

}  // namespace pawl::store
