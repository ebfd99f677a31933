// The checks of locks on a quorum: what each node does, and which grants may exist together.
#pragma once

#include "sim/checker.h"
#include "sim/family.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::sim {

class quorum_checker final : public checker {
public:
    quorum_checker(const plan& plan, world& world, const node_list& nodes, trace& trace);

    // Each node has a witness of its own.
    void before(const std::vector<std::string_view>& /*words*/) override {}
    void after(const std::vector<std::string_view>& /*words*/, std::string_view /*reply*/) override
    {
    }
    void told(std::string_view /*push*/) override {}

    void submitted(const process& who, std::span<const std::string_view> words) override;
    void write(const belief& which) override;
    void data_lost(bool /*known*/) override {}
    void node_forgot(unsigned node, std::optional<std::size_t> only_lock) override;
    void node_lost(unsigned node) override;
    void node_began(unsigned node) override;
    void watch_waiting() override;
    [[nodiscard]] nanoseconds watch_period() const override;
    void check_orphans() override;
    void check_leftovers() override;

protected:
    void check_fence(const belief& fresh) override;
    [[nodiscard]] bool excused(std::size_t lock, std::string_view holder) const override;
    [[nodiscard]] bool server_has(const belief& which) const override;
    void check_exclusion(std::size_t lock) override { check_one_holder(lock); }
    [[nodiscard]] bool may_have_lost(std::size_t lock, std::string_view holder) const override;

private:
    // One node, as the checker sees it.
    class eye final : public server::witness {
    public:
        eye(quorum_checker& owner, server& where, unsigned number)
            : owner_{&owner}, where_{&where}, number_{number}
        {
            where.watched_by(*this);
        }
        void before(const std::vector<std::string_view>& words) override;
        void after(const std::vector<std::string_view>& words, std::string_view reply) override;
        void told(std::string_view push) override { owner_->node_tells(number_, push); }

        [[nodiscard]] server& where() const noexcept { return *where_; }
        [[nodiscard]] bool is_in_quarantine(std::chrono::milliseconds length) const;
        // A node that does not vote does not remove places whose time is over, and votes for none of them later.
        [[nodiscard]] bool keeps_place(std::string_view lock, std::string_view waiter) const;
        nanoseconds lost{-1};     // when it last lost data
        nanoseconds began{-1};    // when its last quarantine began
        nanoseconds stepped{-1};  // when its clock last went ahead

    private:
        quorum_checker* owner_;
        server* where_;
        unsigned number_;
        // Of each lock of the script.
        std::vector<std::optional<std::string>> holders_before_;
        std::vector<std::vector<std::string>> waiters_before_;  // in the order of their tickets
        std::uint64_t number_before_ = 0;                       // of a vote that is handed back
    };

    struct own_record {
        std::uint64_t greatest_fence = 0;
        std::uint64_t greatest_written = 0;
        std::uint64_t grants = 0;
        // When waiters were last looked at:
        std::uint64_t grants_seen = 0;
        bool stalled_seen = false;
    };

    // The votes of a holder that its nodes have not forgotten: until when each lasts. And the nodes that have forgotten
    // its vote, or may end it too early, until they count it anew.
    struct votes_record {
        std::size_t lock = 0;
        std::map<unsigned, nanoseconds> nodes;
        std::set<unsigned> forgotten_by;
        bool overtaken = false;  // another one was granted the lock when no majority was left
    };

    void count_vote(unsigned node, std::size_t lock, const script_call& call, std::size_t i,
                    std::string_view reply, const std::optional<std::string>& was,
                    const std::optional<std::string>& is);
    void after_script(unsigned node, const script_call& call, std::string_view reply,
                      const std::vector<std::optional<std::string>>& holders_before,
                      const std::vector<std::vector<std::string>>& waiters_before);
    void check_answer(unsigned node, std::size_t lock, const script_call& call, std::size_t i,
                      std::string_view reply, const std::optional<std::string>& was,
                      const std::optional<std::string>& is);
    void check_holds(std::size_t lock, std::string_view holder);
    void check_order(unsigned node, std::size_t lock, std::string_view chosen,
                     const std::vector<std::string>& waiters_before);
    void check_votes(const belief& fresh);
    [[nodiscard]] nanoseconds shortest_lease(nanoseconds valid) const;
    [[nodiscard]] static std::string words_of(const script_call& restore, std::size_t i);
    void check_rest(unsigned node, std::size_t lock, const script_call& call, std::size_t i);
    void check_restore(std::size_t lock, std::string_view holder);
    void after_hand_back(unsigned node, const script_call& call, std::string_view reply,
                         std::uint64_t number_before);
    void after_vote(unsigned node, std::size_t lock, const script_call& call,
                    std::string_view reply);
    void node_tells(unsigned node, std::string_view push);
    [[nodiscard]] bool is_stalled(std::size_t lock) const;
    [[nodiscard]] bool can_be_won(const eye& node, std::size_t lock) const;

    std::deque<eye> nodes_;
    std::vector<own_record> own_;
    std::map<std::string, votes_record, std::less<>> votes_;  // by holder
    // By what a restore says about a vote: until when the hold was valid when the restore was asked for.
    std::map<std::string, nanoseconds, std::less<>> asked_;
};

}  // namespace pawl::sim
