// The checks of the locks that have one holder at a time: mutex, recursive_mutex, fair_mutex, leader and once_per.
#pragma once

#include "sim/checker.h"
#include "sim/queue_model.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::sim {

class exclusive_checker : public checker {
public:
    exclusive_checker(const plan& plan, world& world, server& server, trace& trace);

    void write(const belief& which) override;
    void before(const std::vector<std::string_view>& words) override;
    void after(const std::vector<std::string_view>& words, std::string_view reply) override;
    void told(std::string_view push) override;
    void data_lost(bool known) override;
    void after_step() override;
    void watch_waiting() override;

protected:
    void check_fence(const belief& fresh) override;
    // The holder that the server gave this fence to.
    [[nodiscard]] std::optional<std::string> holder_with(std::size_t lock,
                                                         std::uint64_t fence) const;

private:
    struct grant_record {
        std::uint64_t place = 0;  // its number among all grants of the lock
        std::string holder;
        std::uint64_t reserve = 0;  // how many fences above it are reserved for passing it on
        bool used = false;          // a holder has used it
        bool offered = false;       // to a bare acquire
        bool grows = true;          // it was greater than all before
    };
    struct own_record {
        std::uint64_t last_fence = 0;
        std::map<std::uint64_t, grant_record> order;  // by fence
        std::uint64_t greatest_written = 0;           // the greatest fence in the guarded register
        std::uint64_t last_writer = 0;                // the number of its grant
        std::uint64_t grants = 0;
        queue_model queue;
        bool queue_unknown = false;       // the server's queue may differ from the one known here
        std::optional<std::string> bare;  // the holder that took it by a bare acquire
        std::optional<std::string> handed_to;  // by the request that is being executed
        std::uint64_t handed_fence = 0;
        std::uint64_t grants_seen = 0;  // these three: at the last watch_waiting()
        std::optional<std::string> holder_seen;
        bool waiting_seen = false;
    };

    void check_exclusion(std::size_t index) override { check_one_holder(index); }
    void check_ids();
    void after_acquire(const script_call& call, std::string_view reply);
    void after_change(const script_call& call, std::size_t i, std::string_view reply);
    void after_bare_take(const std::vector<std::string_view>& words, std::string_view reply);
    void after_bare_count(const std::vector<std::string_view>& words, std::string_view reply);
    void after_yield(std::size_t index, std::int64_t code, const std::optional<std::string>& was,
                     const std::optional<std::string>& is);
    void check_order(const script_call& call, std::string_view reply, std::size_t index);
    void grants(std::size_t index, std::string_view holder, std::uint64_t fence,
                std::string_view fence_key);
    void watch_lingering(std::size_t lock, const std::string& holder);

    bool has_stripes_ = false;
    std::vector<own_record> own_;  // of each lock
    std::vector<std::optional<std::string>> holders_before_;
};

}  // namespace pawl::sim
