// Latches over a memory server.
#include "unit/memory_gate_fixture.h"

#include <chrono>
#include <concepts>
#include <latch>
#include <memory>
#include <stop_token>
#include <string>

namespace pawl::test {
namespace {

template <class Latch>
concept has_the_calls_of_a_latch = requires(Latch& one, const Latch& same) {
    { one.count_down() } -> std::same_as<void>;
    { one.count_down(2) } -> std::same_as<void>;
    { one.arrive_and_wait() } -> std::same_as<void>;
    { one.arrive_and_wait(2) } -> std::same_as<void>;
    { same.try_wait() } -> std::same_as<bool>;
    { same.wait() } -> std::same_as<void>;
    Latch::max();
};
static_assert(has_the_calls_of_a_latch<std::latch> && has_the_calls_of_a_latch<latch>);
static_assert(stays_where_it_is<std::latch> && stays_where_it_is<latch>);

class memory_latch : public memory_gate {};

TEST_F(memory_latch, opens_for_all_waiters_of_all_clients_at_once)
{
    auto first = waiting([&] { mine_.wait(); }, 1);
    auto second = waiting([&] { theirs_.wait(); }, 2);
    auto third = waiting([&] { theirs_.wait(); }, 3);
    mine_.count_down();
    EXPECT_FALSE(is_ready(first));
    theirs_.count_down();
    for (auto* each : {&first, &second, &third}) each->get();
    EXPECT_EQ(queue_.length("gate"), 0);
}

TEST_F(memory_latch, lets_a_late_waiter_pass_at_once)
{
    mine_.count_down(2);
    theirs_.wait();
    EXPECT_TRUE(theirs_.try_wait());
    EXPECT_TRUE(theirs_.wait_for(0s));
    latch made_later{other_, "gate", 2};
    made_later.wait();
}

TEST_F(memory_latch, says_whether_it_is_open)
{
    EXPECT_FALSE(mine_.try_wait());
    std::error_code ec;
    EXPECT_FALSE(mine_.try_wait(ec));
    EXPECT_EQ(ec, errc::busy);
    mine_.count_down(2, ec);
    EXPECT_FALSE(ec);
    EXPECT_TRUE(mine_.try_wait(ec));
    EXPECT_FALSE(ec);
}

TEST_F(memory_latch, is_waited_for_no_longer_than_the_limit)
{
    std::error_code ec;
    EXPECT_FALSE(mine_.wait_for(20ms));
    EXPECT_FALSE(mine_.wait_for(20ms, ec));
    EXPECT_EQ(ec, errc::timed_out);
    EXPECT_FALSE(mine_.wait_until(std::chrono::system_clock::now() + 20ms));
    EXPECT_TRUE(eventually([&] { return queue_.length("gate") == 0; }));
}

TEST_F(memory_latch, is_waited_for_until_stop_is_requested)
{
    std::stop_source stop;
    std::error_code ec;
    auto endless = waiting(
        [&] { EXPECT_EQ(code_of([&] { mine_.wait(stop.get_token()); }), errc::cancelled); }, 1);
    auto limited = waiting([&] { EXPECT_FALSE(mine_.wait_for(1h, stop.get_token())); }, 2);
    auto coded = waiting([&] { theirs_.wait(stop.get_token(), ec); }, 3);
    stop.request_stop();
    for (auto* each : {&endless, &limited, &coded}) each->get();
    EXPECT_EQ(ec, errc::cancelled);
    EXPECT_TRUE(eventually([&] { return queue_.length("gate") == 0; })) << "nothing is left";
}

TEST_F(memory_latch, is_counted_down_and_waited_for_in_one_call)
{
    auto first = waiting([&] { mine_.arrive_and_wait(); });
    theirs_.arrive_and_wait();
    first.get();
}

TEST_F(memory_latch, refuses_to_count_below_zero_and_says_how_many_are_missing)
{
    EXPECT_EQ(code_of([&] { mine_.count_down(3); }), errc::refused);
    EXPECT_NE(message_of([&] { mine_.count_down(3); }).find("3 arrivals are more than the 2"),
              std::string::npos);
    mine_.count_down();
    std::error_code ec;
    mine_.count_down(2, ec);
    EXPECT_EQ(ec, errc::refused);
    mine_.count_down(ec);
    EXPECT_FALSE(ec);
    mine_.count_down(ec);
    EXPECT_EQ(ec, errc::refused) << "it is open";
}

TEST_F(memory_latch, checks_its_arguments)
{
    EXPECT_EQ(code_of([&] { const latch none(client_, "gate", 0); }), errc::bad_argument);
    EXPECT_EQ(code_of([&] { const latch many(client_, "gate", 1'000'001); }), errc::bad_argument);
    EXPECT_EQ(code_of([&] { const latch nameless(client_, "", 1); }), errc::bad_argument);
    EXPECT_EQ(code_of([&] { mine_.count_down(0); }), errc::bad_argument);
    std::error_code ec;
    mine_.count_down(0, ec);
    EXPECT_EQ(ec, errc::bad_argument);
    EXPECT_EQ(latch(client_, "large", latch::max()).expected(), 1'000'000U);
    EXPECT_EQ(mine_.name(), "gate");
}

TEST_F(memory_latch, of_another_number_is_an_error_that_names_both)
{
    mine_.count_down();
    latch three{other_, "gate", 3};
    EXPECT_EQ(code_of([&] { three.count_down(); }), errc::refused);
    EXPECT_EQ(code_of([&] { three.wait(); }), errc::refused);
    EXPECT_NE(message_of([&] { three.wait(); }).find("expects 2 arrivals, and not 3"),
              std::string::npos);
}

TEST_F(memory_latch, and_a_barrier_of_one_name_are_an_error_that_names_the_kind)
{
    mine_.count_down();
    barrier same{other_, "gate", 2};
    EXPECT_EQ(code_of([&] { (void)same.arrive(); }), errc::not_a_lock);
    EXPECT_NE(message_of([&] { same.arrive_and_wait(); }).find("it is a latch"), std::string::npos);
}

TEST_F(memory_latch, does_not_use_the_key_of_a_lock)
{
    const auto held = mutex_.acquire();
    latch plain{client_, "job", 1};
    EXPECT_EQ(code_of([&] { plain.count_down(); }), errc::not_a_lock);
    EXPECT_EQ(code_of([&] { plain.wait(); }), errc::not_a_lock);
    recursive_mutex counted{client_, "counted"};
    auto entered = counted.acquire();
    latch hash{client_, "counted", 1};
    EXPECT_EQ(code_of([&] { hash.count_down(); }), errc::not_a_lock);
    EXPECT_TRUE(entered.confirm());
    mine_.count_down();
    mutex no_lock{client_, "gate"};
    EXPECT_EQ(code_of([&] { (void)no_lock.try_acquire(); }), errc::not_a_lock);
}

TEST_F(memory_latch, is_forgotten_a_day_after_its_last_use)
{
    mine_.count_down(2);
    server_.advance(23h);
    EXPECT_TRUE(mine_.try_wait());
    server_.advance(23h);
    EXPECT_TRUE(mine_.try_wait());
    server_.advance(25h);
    EXPECT_FALSE(mine_.try_wait());
}

TEST_F(memory_latch, counts_anew_if_the_server_loses_its_data)
{
    mine_.count_down();
    server_.lose_data();
    theirs_.count_down();
    EXPECT_FALSE(theirs_.try_wait());
    theirs_.count_down();
    EXPECT_TRUE(theirs_.try_wait());
}

TEST_F(memory_latch, finds_its_waiter_again_after_the_server_has_lost_its_data)
{
    auto waits = waiting([&] { mine_.wait(); });
    server_.lose_data();
    EXPECT_EQ(queue_.length("gate"), 0);
    server_.advance(11s);
    EXPECT_TRUE(eventually([&] { return queue_.length("gate") == 1; }));
    theirs_.count_down(2);
    waits.get();
}

TEST_F(memory_latch, counts_once_if_the_server_executes_a_repeated_request_twice)
{
    auto options = this->options();
    options.command_limit = 300ms;
    client own{options};
    latch slow{own, "gate", 2};
    latch{own, "warm-up", 1}.count_down();  // the server knows the script now
    server_.freeze();
    std::error_code ec;
    slow.count_down(ec);
    EXPECT_EQ(ec, errc::unreachable);
    server_.thaw();
    // All tries of that call are executed now, and count once.
    EXPECT_FALSE(mine_.try_wait());
    mine_.count_down();
    EXPECT_TRUE(mine_.try_wait());
}

TEST_F(memory_latch, tells_a_waiter_that_the_client_was_destroyed)
{
    auto own = std::make_unique<client>(options());
    latch gate{*own, "gate", 2};
    own.reset();
    EXPECT_EQ(code_of([&] { gate.wait(); }), errc::refused);
    EXPECT_EQ(code_of([&] { gate.count_down(); }), errc::refused);
}

TEST_F(memory_latch, refuses_a_count_when_memory_is_full)
{
    server_.fill_memory();
    EXPECT_EQ(code_of([&] { mine_.count_down(); }), errc::refused);
    server_.free_memory();
    mine_.count_down(2);
}

}  // namespace
}  // namespace pawl::test
