// Barriers over a memory server.
#include "unit/memory_gate_fixture.h"

#include <atomic>
#include <barrier>
#include <concepts>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace pawl::test {
namespace {

template <class Barrier>
concept has_the_calls_of_a_barrier =
    requires(Barrier& one, const Barrier& same, typename Barrier::arrival_token mine) {
        { one.arrive() } -> std::same_as<typename Barrier::arrival_token>;
        { one.arrive(2) } -> std::same_as<typename Barrier::arrival_token>;
        { same.wait(std::move(mine)) } -> std::same_as<void>;
        { one.arrive_and_wait() } -> std::same_as<void>;
        { one.arrive_and_drop() } -> std::same_as<void>;
        Barrier::max();
    };
static_assert(has_the_calls_of_a_barrier<std::barrier<>> && has_the_calls_of_a_barrier<barrier>);
static_assert(stays_where_it_is<std::barrier<>> && stays_where_it_is<barrier>);
static_assert(std::is_nothrow_move_constructible_v<barrier::arrival> &&
              !std::is_copy_constructible_v<barrier::arrival>);

class memory_barrier : public memory_gate {};

TEST_F(memory_barrier, ends_a_phase_when_all_have_arrived)
{
    barrier here{client_, "gate", 2};
    barrier there{other_, "gate", 2};
    for (int phase = 0; phase < 5; ++phase) {
        auto first = waiting([&] { here.arrive_and_wait(); });
        there.arrive_and_wait();
        first.get();
    }
    EXPECT_EQ(here.name(), "gate");
    EXPECT_EQ(here.expected(), 2U);
}

TEST_F(memory_barrier, keeps_threads_in_step)
{
    constexpr int threads = 4;
    constexpr int phases = 50;
    barrier gate{client_, "gate", threads};
    std::atomic<int> arrived{0};
    std::vector<std::jthread> all;
    for (int i = 0; i < threads; ++i) {
        all.emplace_back([&] {
            for (int phase = 1; phase <= phases; ++phase) {
                ++arrived;
                gate.arrive_and_wait();
                EXPECT_GE(arrived, phase * threads);
                EXPECT_LE(arrived, (phase + 1) * threads);
            }
        });
    }
    all.clear();
    EXPECT_EQ(arrived, phases * threads);
}

TEST_F(memory_barrier, lets_an_arrival_wait_later)
{
    barrier gate{client_, "gate", 2};
    auto first = gate.arrive();
    EXPECT_TRUE(first);
    EXPECT_EQ(first.name(), "gate");
    EXPECT_FALSE(first.try_wait());
    EXPECT_FALSE(first.wait_for(10ms));
    auto second = gate.arrive();
    EXPECT_TRUE(first.try_wait());
    gate.wait(std::move(first));
    second.wait();
    auto next = gate.arrive();
    EXPECT_TRUE(second.try_wait()) << "its phase has ended";
    EXPECT_FALSE(next.try_wait());
}

TEST_F(memory_barrier, waits_for_an_arrival_with_an_error_code)
{
    barrier gate{client_, "gate", 2};
    std::stop_source stop;
    stop.request_stop();
    std::error_code told;
    gate.wait(gate.arrive(), stop.get_token(), told);
    EXPECT_EQ(told, errc::cancelled);
    gate.wait(gate.arrive(), told);
    EXPECT_FALSE(told) << "both have arrived";
    gate.wait(barrier::arrival{}, told);
    EXPECT_EQ(told, errc::bad_argument);
}

TEST_F(memory_barrier, may_be_destroyed_before_its_arrivals)
{
    std::optional<barrier> gate{std::in_place, client_, "gate", 2U};
    auto mine = gate->arrive();
    gate.reset();
    EXPECT_FALSE(mine.try_wait());
    (void)barrier{other_, "gate", 2}.arrive();
    mine.wait();
}

TEST_F(memory_barrier, has_empty_arrivals_that_cannot_be_waited_for)
{
    barrier gate{client_, "gate", 1};
    auto mine = gate.arrive();
    const auto taken = std::move(mine);
    taken.wait();
    EXPECT_FALSE(mine);
    EXPECT_EQ(mine.name(), "");
    EXPECT_EQ(code_of([&] { mine.wait(); }), errc::bad_argument);
    std::error_code ec;
    EXPECT_FALSE(barrier::arrival{}.try_wait(ec));
    EXPECT_EQ(ec, errc::bad_argument);
}

TEST_F(memory_barrier, counts_several_arrivals_of_one_caller)
{
    barrier gate{client_, "gate", 3};
    auto two = gate.arrive(2);
    std::error_code ec;
    EXPECT_FALSE(gate.arrive(2, ec));
    EXPECT_EQ(ec, errc::refused);
    gate.arrive_and_wait(ec);
    EXPECT_FALSE(ec);
    two.wait();
}

TEST_F(memory_barrier, expects_one_less_after_one_has_dropped_out)
{
    barrier gate{client_, "gate", 2};
    gate.arrive_and_drop();
    gate.arrive_and_wait();
    gate.arrive_and_wait();
    barrier same{other_, "gate", 2};
    std::error_code ec;
    same.arrive_and_drop(ec);
    EXPECT_FALSE(ec) << "the number it was made for is still the right one";
    gate.arrive_and_drop(ec);
    EXPECT_EQ(ec, errc::refused) << "no participant is left";
}

TEST_F(memory_barrier, counts_the_arrival_of_a_wait_that_is_cancelled)
{
    barrier gate{client_, "gate", 2};
    std::stop_source stop;
    std::error_code ec;
    auto waits = waiting([&] { gate.arrive_and_wait(stop.get_token(), ec); });
    stop.request_stop();
    waits.get();
    EXPECT_EQ(ec, errc::cancelled);
    EXPECT_TRUE(eventually([&] { return queue_.length("gate") == 0; }));
    gate.arrive_and_wait();
}

TEST_F(memory_barrier, tells_a_waiter_that_its_arrival_is_lost_with_the_servers_data)
{
    barrier gate{client_, "gate", 2};
    auto mine = gate.arrive();
    auto waits = waiting([&] { EXPECT_EQ(code_of([&] { mine.wait(); }), errc::refused); });
    server_.lose_data();
    server_.advance(11s);
    waits.get();
    barrier again{other_, "gate", 2};
    (void)again.arrive();
    again.arrive_and_wait();
    EXPECT_NE(message_of([&] { mine.wait(); }).find("has lost the phase"), std::string::npos);
}

TEST_F(memory_barrier, takes_waiting_clients_out_of_the_queue_when_they_are_cut_off)
{
    barrier gate{client_, "gate", 2};
    barrier there{other_, "gate", 2};
    auto mine = there.arrive();
    auto waits = waiting([&] { mine.wait(); });
    server_.cut_off(other_);
    gate.arrive_and_wait();
    server_.reconnect(other_);
    while (!is_ready(waits)) server_.advance(1s);
    waits.get();
}

}  // namespace
}  // namespace pawl::test
