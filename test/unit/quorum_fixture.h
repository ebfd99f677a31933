// A claim in a quorum of three or five nodes, for tests that play the nodes.
#pragma once

#include "core/quorum/claim.h"
#include "core/quorum/nodes.h"
#include "unit/at.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pawl::core::quorum {

using namespace std::chrono_literals;
using test::always;
using test::at;

inline const failure lost_reply{
    .what = failure_kind::no_reply, .detail = "no answer", .maybe_executed = true};
inline const failure not_sent{.what = failure_kind::unreachable, .detail = "connection refused"};

inline std::vector<std::string> names_of_nodes(unsigned count)
{
    std::vector<std::string> names;
    for (unsigned i = 0; i < count; ++i)
        names.push_back("redis://" + std::string(1, 'a' + static_cast<char>(i)));
    return names;
}

class quorum_test : public testing::Test {
protected:
    explicit quorum_test(unsigned count = 3) : all_{names_of_nodes(count), 0.01, 2s}
    {
        // A clock of the nodes at at(0): one second since the epoch.
        for (unsigned i = 0; i < count; ++i) all_.answered(i, clock_at(0), at(0), at(0));
    }

    static node_time clock_at(int ms) { return 1s + std::chrono::milliseconds{ms}; }

    // ── The caller ──────────────────────────────────────────────────────────────────────────────

    void begin(int now, std::optional<std::chrono::milliseconds> wait = std::nullopt)
    {
        acquire_request request{.mine = mine_,
                                .lease = 1s,
                                .sent = at(now),
                                .until = at(now + 300),
                                .client = "me",
                                .reserve = 10};
        request.wait = wait;
        claim_.ask(request, std::vector<bool>(all_.size()), at(now));
        proceed();
    }
    void begin_to_wait(int now) { begin(now, 1500ms); }

    // ── The nodes ───────────────────────────────────────────────────────────────────────────────

    void vote(unsigned node, std::uint64_t number, int now)
    {
        claim_.on_vote(node, last<vote_request>(node), voted{.number = number}, at(now));
        proceed();
    }
    void busy_at(unsigned node, int now, waits::reason why = waits::reason::held)
    {
        claim_.on_vote(
            node, last<vote_request>(node),
            waits{.why = why, .left = 500ms, .placed = last<vote_request>(node).wait.has_value()},
            at(now));
        proceed();
    }
    void fail(unsigned node, const failure& why, int now)
    {
        claim_.on_vote(node, last<vote_request>(node), why, at(now));
        proceed();
    }
    void tell(unsigned node, std::uint64_t number, int when, int now)
    {
        claim_.on_notice({node, number, at(when)}, at(now));
        proceed();
    }
    void raise_at(unsigned node, const raise_reply& got, int now)
    {
        claim_.on_raise(node, last<raise_request>(node), got, at(now));
        proceed();
    }
    void hand_back_at(unsigned node, const hand_back_reply& got, int now)
    {
        claim_.on_hand_back(node, last<hand_back_request>(node), got, at(now));
        proceed();
    }
    void time_passes(int now)
    {
        claim_.on_time(at(now));
        proceed();
    }

    // ── What the machine did ────────────────────────────────────────────────────────────────────

    void proceed()
    {
        auto next = claim_.take_effects();
        for (auto& each : next.sends) sent_.push_back(std::move(each));
        if (next.answer) answer_ = std::move(next.answer);
        if (next.granted) granted_ = std::move(next.granted);
        ends_ = ends_ || next.ends;
    }

    template <class Request>
    [[nodiscard]] unsigned count(unsigned node) const
    {
        unsigned found = 0;
        for (const auto& each : sent_) {
            found += each.node == node && std::holds_alternative<Request>(each.what) ? 1U : 0U;
        }
        return found;
    }
    template <class Request>
    [[nodiscard]] unsigned count() const
    {
        unsigned found = 0;
        for (unsigned i = 0; i < all_.size(); ++i) found += count<Request>(i);
        return found;
    }
    template <class Request>
    [[nodiscard]] Request last(unsigned node) const
    {
        for (auto each = sent_.rbegin(); each != sent_.rend(); ++each) {
            if (each->node != node) continue;
            if (const auto* const found = std::get_if<Request>(&each->what)) return *found;
        }
        ADD_FAILURE() << "nothing of this kind was sent to node " << node;
        return {};
    }
    [[nodiscard]] bool is_granted() const
    {
        return answer_ && std::holds_alternative<granted>(*answer_);
    }
    [[nodiscard]] granted grant() const { return std::get<granted>(answer_.value()); }
    [[nodiscard]] busy others() const { return std::get<busy>(answer_.value()); }
    [[nodiscard]] failure problem() const { return std::get<failure>(answer_.value()); }

    object object_{.name = "a"};
    core::claim mine_{&object_, "me"};
    nodes all_;
    base::random_unit random_ = always(0);
    claim_machine claim_{all_, mine_, random_};
    std::vector<outgoing> sent_;
    std::optional<acquire_reply> answer_;
    std::optional<grant_notice> granted_;
    bool ends_ = false;
};

class quorum_of_five_test : public quorum_test {
protected:
    quorum_of_five_test() : quorum_test{5} {}
};

}  // namespace pawl::core::quorum
