// The checks of several locks at once: lock_set, beside fair_mutex on the same locks. The state at the server is
// compared before and after each script.
#pragma once

#include "sim/checker.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::sim {

class many_checker final : public checker {
public:
    many_checker(const plan& plan, world& world, server& server, trace& trace);

    void write(const belief& which) override;
    void before(const std::vector<std::string_view>& words) override;
    void after(const std::vector<std::string_view>& words, std::string_view reply) override;
    void told(std::string_view push) override;
    void server_forgot(std::optional<std::size_t> only_lock) override;
    void data_lost(bool /*known*/) override {}
    void watch_waiting() override;

private:
    // One lock at the server.
    struct lock_view {
        std::optional<std::string> holder;
        std::chrono::milliseconds left{};
        std::vector<server::waiter> queue;
    };
    using all_locks = std::map<std::string, lock_view, std::less<>>;

    struct own_record {
        std::uint64_t last_fence = 0;
        std::uint64_t greatest_written = 0;  // the greatest fence in the guarded register
        std::uint64_t grants = 0;
        nanoseconds forgotten{-1};  // when the server last lost it
    };
    struct told_grant {
        std::string lock;
        std::string holder;
        std::uint64_t fence = 0;
    };
    // A script, and its effect.
    struct change {
        const script_call& call;
        std::vector<std::string> locks;  // that it names
        std::string holder;              // of the caller; empty if there are several
        std::string part;
        std::int64_t code;
        const all_locks& is;
    };
    // What watch_waiting() saw the last time.
    struct seen_record {
        bool waiting = false;
        std::vector<std::optional<std::string>> holders;
        std::uint64_t grants = 0;
    };

    void check_fence(const belief& fresh) override;
    void check_exclusion(std::size_t index) override;
    [[nodiscard]] bool server_has(const belief& which) const override;

    void check_who_changed(const change& what, const std::string& lock);
    void check_entry(const change& what, const std::string& lock);
    void check_leases(const change& what, const std::string& lock);
    void check_hand_over(const change& what, const told_grant& given);
    void after_acquire(const change& what, std::string_view reply);
    void all_are_taken(const change& what, std::uint64_t fence);
    void none_is_taken(const change& what);
    void after_release(const change& what);
    void check_answers(const change& what, std::string_view reply);
    void grows(const std::string& lock, std::uint64_t fence);

    [[nodiscard]] const std::vector<std::string>& names_of(std::size_t index) const;
    [[nodiscard]] all_locks look_at_all() const;
    [[nodiscard]] bool is_told(std::string_view lock, std::string_view holder) const;
    [[nodiscard]] bool had_a_part(const change& what) const;
    [[nodiscard]] bool can_be_reached(const server::waiter& who) const;
    [[nodiscard]] std::size_t places_of(const change& what) const;
    [[nodiscard]] bool is_excused(const std::string& lock, std::string_view holder);

    std::vector<std::vector<std::string>> names_;         // of each lock of the plan
    std::map<std::string, own_record, std::less<>> own_;  // of each lock at the server
    std::map<std::string, std::set<std::uint64_t>>
        granted_;                    // the fences that a holder has not used yet
    std::vector<seen_record> seen_;  // of each lock of the plan
    all_locks before_;
    std::vector<told_grant> told_;  // by the script that is being executed
};

}  // namespace pawl::sim
