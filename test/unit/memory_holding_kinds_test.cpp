// lock_options::longest_hold and lock_options::heartbeat work for every kind that gives a hold.
#include "unit/memory_fixture.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pawl::test {
namespace {

// Takes an object of one kind with these options. The object may be destroyed before the hold.
struct kind_with_holds {
    std::string name;
    std::function<hold(client&, const lock_options&)> take;
};

hold after_a_wait(client& client, const lock_options& options)
{
    mutex lock{client, "limited", options};
    condition_variable more{lock, "more"};
    auto held = lock.acquire();
    more.wait_for(held, 1ms);
    return held;
}

std::vector<kind_with_holds> all_kinds()
{
    using options = const lock_options&;
    return {
        {"mutex", [](client& c, options o) { return mutex{c, "limited", o}.acquire(); }},
        {"recursive_mutex",
         [](client& c, options o) { return recursive_mutex{c, "limited", o}.acquire(); }},
        {"fair_mutex", [](client& c, options o) { return fair_mutex{c, "limited", o}.acquire(); }},
        {"writer", [](client& c, options o) { return shared_mutex{c, "limited", o}.acquire(); }},
        {"reader",
         [](client& c, options o) { return shared_mutex{c, "limited", o}.acquire_shared(); }},
        {"counting_semaphore",
         [](client& c, options o) { return counting_semaphore{c, "limited", 2, o}.acquire(); }},
        {"lock_set", [](client& c, options o) { return acquire_all(c, {"limited", "b"}, o); }},
        {"striped_mutex",
         [](client& c, options o) { return striped_mutex{c, "limited", 8, o}.of(7).acquire(); }},
        {"leader",
         [](client& c, options o) -> hold { return leader{c, "limited", o}.campaign("here"); }},
        {"once_per",
         [](client& c, options o) {
             once_per report{c, "limited", 1h, {}, o};
             return std::move(report.try_begin().value().held());
         }},
        {"condition_variable", after_a_wait},
    };
}

class memory_holding_kinds : public with_memory,
                             public ::testing::WithParamInterface<kind_with_holds> {};

INSTANTIATE_TEST_SUITE_P(every, memory_holding_kinds, ::testing::ValuesIn(all_kinds()),
                         [](const auto& of) { return of.param.name; });

TEST_P(memory_holding_kinds, ends_at_the_longest_time)
{
    const hold held = GetParam().take(client_, {.lease = 3s, .longest_hold = 10s});
    server_.advance(8s);
    EXPECT_EQ(held.state(), hold_state::held);
    EXPECT_LE(held.valid_for(), 2s);
    server_.advance(2s);
    EXPECT_EQ(held.state(), hold_state::lost);
    EXPECT_EQ(held.why(), cause::held_too_long);
}

TEST_P(memory_holding_kinds, goes_on_while_it_beats_and_ends_without_beats)
{
    hold held = GetParam().take(client_, {.lease = 3s, .heartbeat = 2s});
    for (int i = 0; i < 10; ++i) {
        server_.advance(1s);
        ASSERT_TRUE(held.beat()) << i;
    }
    EXPECT_EQ(held.state(), hold_state::held);
    server_.advance(5s);
    EXPECT_EQ(held.state(), hold_state::lost);
    EXPECT_EQ(held.why(), cause::no_beat);
}

TEST_P(memory_holding_kinds, goes_on_for_ever_by_default)
{
    const hold held = GetParam().take(client_, {.lease = 3s});
    server_.advance(10min);
    EXPECT_EQ(held.state(), hold_state::held);
}

}  // namespace
}  // namespace pawl::test
