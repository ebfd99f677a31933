// The checks of jobs that run once per period, besides those of a lock.
#pragma once

#include "sim/exclusive_checker.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::sim {

class once_checker final : public exclusive_checker {
public:
    once_checker(const plan& plan, world& world, server& server, trace& trace);

    void after(const std::vector<std::string_view>& words, std::string_view reply) override;
    void data_lost(bool known) override;
    [[nodiscard]] std::vector<std::string> keys_used() const override;

private:
    using server_time = std::chrono::milliseconds;  // by the server's clock

    // What the mark at the server must say.
    struct mark {
        std::string holder;
        server_time ends{};
        bool done = false;
    };
    // A run that its caller has begun.
    struct run_record {
        std::string holder;
        server_time begun{};
    };
    struct job_record {
        std::optional<mark> marked;
        bool unknown = false;                         // the server has old data
        std::map<std::uint64_t, server_time> grants;  // by fence
        std::deque<run_record> runs;                  // the last ones
        std::map<std::string, bool, std::less<>>
            done;  // by holder: the server knows that it succeeded
    };

    void check_fence(const belief& fresh) override;
    void after_begin(std::size_t index, const script_call& call, std::string_view reply);
    void after_end(std::size_t index, const script_call& call);
    void check_begin(std::size_t index, std::string_view holder, server_time now);
    void check_not_due(std::size_t index, std::string_view holder, server_time now);
    [[nodiscard]] server_time end_of_period(std::size_t index, server_time begun) const;
    [[nodiscard]] bool in_one_period(std::size_t index, server_time one, server_time other) const;

    std::vector<job_record> jobs_;
    // If the clock goes back, a period may come again, and an expired mark may exist again.
    bool periods_repeat_;
};

}  // namespace pawl::sim
