// The requests of the Redis store about latches and barriers.
#include "base/platform.h"
#include "store/redis/gate_verb.h"
#include "store/redis/server_call.h"
#include "unit/wire_fixture.h"

#include <string>
#include <variant>

namespace pawl::store {
namespace {

using core::object_kind;

class wire_gate : public testing::Test {
protected:
    [[nodiscard]] core::arrive_request arrival() const
    {
        return {.what = &latch_, .participant = "me", .number = 7, .count = 2};
    }
    [[nodiscard]] failure failed(const std::string& reply) const
    {
        return std::get<failure>(read_text(arrival(), reply));
    }

    core::object latch_{.name = "a", .kind = object_kind::latch, .expected = 3};
    core::object barrier_{
        .name = "a", .kind = object_kind::barrier, .expected = 3, .phase = 1'700'000'000'000'000};
};

TEST_F(wire_gate, an_arrival_has_a_number_and_says_what_the_gate_was_made_as)
{
    EXPECT_EQ(written(arrival()),
              (word_list{"EVALSHA", std::string{redis::scripts::gate_arrive.sha}, "3", "a",
                         "pawl:fence:{a}", "pawl:queue:{a}", "me", "7", "2", "latch 3", ""}));
    const core::arrive_request drop{.what = &barrier_, .participant = "me", .drops_out = true};
    EXPECT_EQ(from(written(drop), 6), (word_list{"me", "1", "1", "barrier 3", "1"}));
}

TEST_F(wire_gate, a_wait_names_the_phase_of_a_barrier)
{
    const acquire_request open{.mine = {&latch_, "me"}, .lease = 30s, .fair = true};
    EXPECT_EQ(written(open), (word_list{"EVALSHA", std::string{redis::scripts::gate_wait.sha}, "3",
                                        "a", "pawl:fence:{a}", "pawl:queue:{a}", "me", "0", "4",
                                        "0000000000000x00000000000000000000", "latch 3", "0"}));
    EXPECT_EQ(from(written(acquire_request{.mine = {&barrier_, "me"}}), 10),
              (word_list{"barrier 3", "1700000000000000"}));
}

TEST_F(wire_gate, a_waiter_that_gives_up_leaves_the_queue)
{
    EXPECT_EQ(from(written(core::release_request{.mine = {&latch_, "me"}}), 1),
              (word_list{std::string{redis::scripts::gate_leave.sha}, "3", "a", "pawl:fence:{a}",
                         "pawl:queue:{a}", "me"}));
}

TEST_F(wire_gate, replies_to_an_arrival)
{
    const auto got = read_text(arrival(), bulk("1 1700000000000005 1700000000000000"));
    EXPECT_EQ(std::get<core::arrived>(got).phase, 1'700'000'000'000'005U);
    EXPECT_EQ(failed(bulk("-4 7 1700000000000000")).what, failure_kind::refused);
    EXPECT_EQ(failed(bulk("-4 7 1700000000000000")).detail,
              "the server expects 7 arrivals, and not 3");
    EXPECT_EQ(failed(bulk("-5 1 1700000000000000")).what, failure_kind::refused);
    EXPECT_EQ(failed(bulk("-5 1 1700000000000000")).detail,
              "2 arrivals are more than the 1 that are missing");
    EXPECT_EQ(failed(bulk("-6 3 1700000000000000")).what, failure_kind::not_a_lock);
    EXPECT_EQ(failed(bulk("-6 3 1700000000000000")).detail, "it is a barrier");
    EXPECT_EQ(failed("-WRONGTYPE a hash of another program\r\n").what, failure_kind::not_a_lock);
}

TEST_F(wire_gate, replies_that_make_no_sense_are_failures)
{
    for (const auto* const text : {"1 -1 5", "1", "8 1 5", "0 1 5", "hello"}) {
        EXPECT_EQ(failed(bulk(text)).what, failure_kind::refused) << text;
    }
    EXPECT_EQ(failed(":1\r\n").what, failure_kind::refused);
}

TEST_F(wire_gate, replies_to_a_wait)
{
    const acquire_request request{.mine = {&barrier_, "me"}, .lease = 30s};
    const auto open =
        std::get<core::granted>(read_text(request, bulk("2 1700000000000001 1700000000000000")));
    EXPECT_TRUE(open.found);
    EXPECT_FALSE(open.hint);
    EXPECT_TRUE(
        std::holds_alternative<core::busy>(read_text(request, bulk("0 -1 1700000000000000"))));
    const auto lost = std::get<failure>(read_text(request, bulk("-7 0 1700000000000000")));
    EXPECT_EQ(lost.what, failure_kind::refused);
    EXPECT_EQ(lost.detail, "the server has lost the phase of this arrival");
}

TEST_F(wire_gate, an_arrival_starts_a_local_server)
{
    server_memory memory{.clock = server_clock{0}};
    const base::system_platform platform;
    const auto starts = [&](const core::exchange_request& what) {
        auto call = make_call(what, memory, platform);
        return call_in(call).may_start_server();
    };
    EXPECT_TRUE(starts(arrival()));
    EXPECT_FALSE(starts(core::release_request{.mine = {&latch_, "me"}}));
}

}  // namespace
}  // namespace pawl::store
