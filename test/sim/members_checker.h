// The checks of what several holders may enter together: shared_mutex and counting_semaphore.
#pragma once

#include "sim/checker.h"
#include "sim/members_state.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::sim {

class members_checker final : public checker {
public:
    members_checker(const plan& plan, world& world, server& server, trace& trace);

    void write(const belief& which) override;
    void before(const std::vector<std::string_view>& words) override;
    void after(const std::vector<std::string_view>& words, std::string_view reply) override;
    void told(std::string_view push) override;
    void data_lost(bool known) override;
    void watch_waiting() override;
    [[nodiscard]] bool may_refuse(std::size_t index) const override;
    [[nodiscard]] std::uint64_t resizes_to(std::size_t index, unsigned capacity) const override;

private:
    // What the server granted to one holder.
    struct grant_record {
        std::set<std::uint64_t> fences;
        bool used = false;
        nanoseconds first_used{0};
        bool old_fence = false;  // of a reader, from before the server went back to old data
    };
    struct own_record {
        std::uint64_t last_fence = 0;  // the greatest
        bool fence_is_old = false;     // the server's number is one of an earlier time
        std::map<std::string, grant_record, std::less<>> granted;
        // The writers that have released it: when, and the greatest fence until then.
        std::vector<std::pair<nanoseconds, std::uint64_t>> writers_left;
        std::uint64_t greatest_written = 0;  // the greatest fence in the guarded register
        std::uint64_t grants = 0;
        std::uint64_t grants_seen = 0;  // these two: at the last watch_waiting()
        nanoseconds looked_at{-1};
        // The capacities of a semaphore: since when each was valid.
        std::vector<std::pair<nanoseconds, std::uint64_t>> capacities;
        std::set<std::uint64_t> resizes;                    // the numbers of its resizes
        std::map<std::uint64_t, std::uint64_t> resizes_to;  // capacity → how often
    };
    // A script, with the state of one lock before and after it.
    struct change {
        std::size_t lock;
        const script_call& call;
        std::size_t number;  // of the lock in the call
        std::int64_t code;   // of the reply
        const members_state& was;
        const members_state& is;
    };
    struct told_grant {
        std::string holder;
        std::uint64_t fence = 0;
    };

    void check_fence(const belief& fresh) override;
    void check_exclusion(std::size_t index) override;
    void check_sum(const change& what);
    void check_capacity(const change& what);
    void check_joined(const belief& fresh, const grant_record& shared);
    [[nodiscard]] std::uint64_t greatest_capacity(std::size_t index, nanoseconds since) const;
    void check_who_changed(const change& what);
    void check_reply(const change& what);
    void check_order(const change& what);
    void check_places(const change& what);
    void check_nobody_fits(const change& what);
    void note_grants(const change& what, std::string_view reply);
    void after_acquire(const change& what, std::string_view reply);
    void after_release(const change& what, std::string_view holder);
    void grant(std::size_t index, std::string_view holder, bool reads, std::uint64_t fence);
    [[nodiscard]] static bool resizes(const change& what);
    [[nodiscard]] bool is_told(std::string_view holder) const;
    [[nodiscard]] members_state look_at(std::size_t index);

    std::vector<own_record> own_;        // of each lock
    std::vector<members_state> before_;  // of each lock in the script that is being executed
    std::vector<told_grant> told_;       // by that script
};

}  // namespace pawl::sim
