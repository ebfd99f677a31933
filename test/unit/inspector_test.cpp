// What pawl::inspector shows of each kind of lock, with a memory server.
#include "sync/client_access.h"
#include "unit/memory_waiters_fixture.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace pawl::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class inspected : public with_waiters {
protected:
    [[nodiscard]] lock_info look(std::string_view name) { return inspector{client_}.look(name); }

    [[nodiscard]] std::set<std::string> names(const list_options& which = {})
    {
        std::set<std::string> found;
        inspector{client_}.list(which, [&](const lock_info& lock) {
            EXPECT_TRUE(found.insert(lock.name).second) << lock.name << " was listed twice";
            return true;
        });
        return found;
    }

    // Of the client with this hold.
    [[nodiscard]] std::string channel() { return client_.id().substr(0, 16); }

    void set(std::initializer_list<std::string_view> words)
    {
        store::server_question question{client_.server(), {{}}};
        for (const auto word : words) question.commands[0].emplace_back(word);
        const auto got = client_access::state(client_).ask_servers({question});
        EXPECT_FALSE(got.at(0).any_problem());
    }
};

TEST_F(inspected, a_name_that_nobody_uses_is_free)
{
    const auto lock = look("job");
    EXPECT_EQ(lock.kind, lock_kind::free);
    EXPECT_EQ(lock.name, "job");
    EXPECT_EQ(lock.server, client_.server());
    EXPECT_THAT(lock.holders, IsEmpty());
    EXPECT_EQ(lock.holder_count, 0U);
    EXPECT_EQ(lock.fence, 0U);
    EXPECT_THAT(lock.notes, IsEmpty());
}

TEST_F(inspected, a_mutex_has_its_holder_its_fence_and_its_lease)
{
    const auto held = mutex_.acquire();
    server_.advance(3s);
    const auto lock = look("job");
    EXPECT_EQ(lock.kind, lock_kind::mutex);
    ASSERT_THAT(lock.holders, SizeIs(1));
    const auto& holder = lock.holders[0];
    EXPECT_EQ(holder.id, held.id());
    EXPECT_EQ(holder.channel, channel());
    EXPECT_EQ(lock.fence, held.fence());
    ASSERT_TRUE(holder.held_for && holder.lease_left);
    EXPECT_GE(*holder.held_for, 3s);
    EXPECT_LT(*holder.held_for, 13s);
    EXPECT_GT(*holder.lease_left, 10s);
    EXPECT_LE(*holder.lease_left, 30s);
}

TEST_F(inspected, the_process_is_not_known_if_the_server_does_not_list_its_connections)
{
    const auto held = mutex_.acquire();
    const auto lock = look("job");
    EXPECT_FALSE(lock.holders.at(0).process);
    EXPECT_THAT(lock.notes, ElementsAre(HasSubstr("processes are not known")));
}

TEST_F(inspected, a_recursive_mutex_says_how_often_it_is_held)
{
    recursive_mutex lock{client_, "again"};
    const auto one = lock.acquire();
    const auto two = lock.acquire();
    const auto seen = look("again");
    EXPECT_EQ(seen.kind, lock_kind::recursive_mutex);
    EXPECT_EQ(seen.holders.at(0).id, one.id());
    EXPECT_EQ(seen.holders.at(0).weight, 2U);
}

TEST_F(inspected, a_shared_mutex_has_readers_or_a_writer)
{
    shared_mutex lock{client_, "both"};
    shared_mutex elsewhere{other_, "both"};
    {
        const auto one = lock.shared().acquire();
        const auto two = elsewhere.shared().acquire();
        const auto seen = look("both");
        EXPECT_EQ(seen.kind, lock_kind::shared_mutex);
        ASSERT_THAT(seen.holders, SizeIs(2));
        EXPECT_EQ(seen.holder_count, 2U);
        EXPECT_TRUE(seen.holders[0].reader && seen.holders[1].reader);
        EXPECT_FALSE(seen.holders[0].held_for);
        EXPECT_TRUE(seen.holders[0].lease_left);
    }
    const auto writer = lock.acquire();
    const auto seen = look("both");
    ASSERT_THAT(seen.holders, SizeIs(1));
    EXPECT_FALSE(seen.holders[0].reader);
    EXPECT_EQ(seen.holders[0].id, writer.id());
    EXPECT_TRUE(seen.holders[0].held_for);
}

TEST_F(inspected, a_semaphore_has_its_permits_and_its_capacity)
{
    counting_semaphore seats{client_, "seats", 5};
    const auto held = seats.acquire(3);
    const auto seen = look("seats");
    EXPECT_EQ(seen.kind, lock_kind::counting_semaphore);
    ASSERT_TRUE(seen.counts);
    EXPECT_EQ(seen.counts->capacity, 5U);
    EXPECT_EQ(seen.counts->used, 3U);
    EXPECT_EQ(seen.holders.at(0).weight, 3U);
    EXPECT_EQ(seen.holders.at(0).id, held.id());
}

TEST_F(inspected, a_member_whose_lease_has_ended_is_not_shown)
{
    counting_semaphore brief{client_, "seats", 5, {.lease = 1s, .renew = false}};
    auto held = brief.acquire();
    EXPECT_EQ(look("seats").holder_count, 1U);
    server_.advance(2s);
    EXPECT_EQ(look("seats").holder_count, 0U);
    EXPECT_THAT(names(), IsEmpty());
}

TEST_F(inspected, a_member_that_holds_is_shown_even_if_many_others_are_over)
{
    const std::string id{"p0123456789abcde0123456789ab"};
    set({"ZADD", "seats", "-2000", "out", "-2000", "capacity", "9999999999999", id + "00001"});
    for (int i = 1'000; i < 2'100; ++i) {
        set({"ZADD", "seats", "1", id + std::to_string(i) + "1"});
    }
    const auto seen = look("seats");
    EXPECT_EQ(seen.holder_count, 1U);
    ASSERT_THAT(seen.holders, SizeIs(1));
    EXPECT_EQ(seen.holders[0].id, id + "0000");
    EXPECT_EQ(seen.counts->capacity, 2'000U);
    set({"ZREM", "seats", id + "00001"});
    EXPECT_EQ(look("seats").holder_count, 0U) << "all that were read are over";
}

TEST_F(inspected, numbers_of_other_programs_do_no_harm)
{
    const std::string id{"p0123456789abcde0123456789abcdef"};
    set({"SET", "job", id, "PX", "99999999999999"});
    set({"SET", "pawl:fence:{job}", "18446744073709551615"});
    auto seen = look("job");
    EXPECT_EQ(seen.fence, 0U);
    EXPECT_LE(*seen.holders.at(0).lease_left, 24h * 365 * 100);
    EXPECT_FALSE(seen.holders[0].held_for);
    set({"ZADD", "seats", "-9223372036854775808", "out", "-5", "capacity", "9223372036854775807",
         id + "1"});
    seen = look("seats");
    EXPECT_LE(*seen.holders.at(0).lease_left, 24h * 365 * 100);
}

TEST_F(inspected, a_part_of_a_lock_set_has_the_channel_of_its_client)
{
    set({"SET", "job", "pABCDEF0123456789ABCDEF012345678", "PX", "20000"});
    EXPECT_EQ(look("job").holders.at(0).channel, "9abcdef012345678");
}

TEST_F(inspected, a_latch_and_a_barrier_say_how_many_have_arrived)
{
    latch gate{client_, "gate", 3};
    gate.count_down();
    const auto seen = look("gate");
    EXPECT_EQ(seen.kind, lock_kind::latch);
    ASSERT_TRUE(seen.counts);
    EXPECT_EQ(seen.counts->capacity, 3U);
    EXPECT_EQ(seen.counts->used, 1U);
    barrier wall{client_, "wall", 2};
    (void)wall.arrive();
    EXPECT_EQ(look("wall").kind, lock_kind::barrier);
}

TEST_F(inspected, a_leader_has_its_payload)
{
    leader election{client_, "primary"};
    const auto term = election.campaign("10.0.0.7:8080");
    const auto seen = look("primary");
    EXPECT_EQ(seen.kind, lock_kind::leader);
    EXPECT_EQ(seen.payload, "10.0.0.7:8080");
    EXPECT_EQ(seen.holders.at(0).id, term.id());
    EXPECT_EQ(seen.fence, term.fence());
}

TEST_F(inspected, a_run_of_a_once_per_has_its_mark)
{
    once_per report{client_, "report", 1h};
    auto turn = report.try_begin();
    ASSERT_TRUE(turn);
    auto seen = look("report");
    EXPECT_EQ(seen.kind, lock_kind::once_per);
    EXPECT_THAT(seen.mark, HasSubstr("once p"));
    EXPECT_EQ(seen.holder_count, 1U);
    turn->done();
    seen = look("report");
    EXPECT_EQ(seen.kind, lock_kind::once_per);
    EXPECT_EQ(seen.mark, "done");
    EXPECT_EQ(seen.holder_count, 0U);
    EXPECT_THAT(names(), IsEmpty()) << "nobody holds it";
}

TEST_F(inspected, waiters_are_shown_in_their_order)
{
    mutex elsewhere{other_, "job"};
    client third{options()};
    mutex also{third, "job"};
    auto held = mutex_.acquire();
    auto first = wait_for(elsewhere, 1);
    auto second = wait_for(also, 2);
    const auto seen = look("job");
    EXPECT_EQ(seen.waiters, 2U);
    ASSERT_THAT(seen.queue, SizeIs(2));
    EXPECT_EQ(seen.queue[0].channel, other_.id().substr(0, 16));
    EXPECT_EQ(seen.queue[1].channel, third.id().substr(0, 16));
    EXPECT_TRUE(seen.queue[0].present);
    EXPECT_FALSE(seen.queue[0].waited) << "one server does not know it";
    held.release();
    get(first).release();
    get(second).release();
}

TEST_F(inspected, a_token_of_another_library_is_foreign)
{
    set({"SET", "theirs", "0123456789abcdef0123", "PX", "20000"});
    const auto seen = look("theirs");
    EXPECT_EQ(seen.kind, lock_kind::foreign);
    EXPECT_EQ(seen.holders.at(0).id, "0123456789abcdef0123");
    EXPECT_EQ(seen.holders.at(0).channel, "");
    EXPECT_FALSE(seen.holders.at(0).held_for);
    EXPECT_THAT(seen.detail, HasSubstr("another library"));
}

TEST_F(inspected, what_is_no_lock_is_named)
{
    set({"SET", "text", "hello"});
    set({"RPUSH", "list", "a", "b"});
    set({"HSET", "hash", "a", "1", "b", "2"});
    set({"HSET", "field", "name", "Smith"});
    set({"ZADD", "set", "1", "a"});
    EXPECT_EQ(look("text").kind, lock_kind::not_a_lock);
    EXPECT_EQ(look("list").detail, "a list with 2 elements");
    EXPECT_EQ(look("hash").detail, "a hash with 2 fields");
    EXPECT_EQ(look("field").kind, lock_kind::not_a_lock);
    EXPECT_EQ(look("set").detail, "a sorted set with 1 members");
    EXPECT_THAT(names({.foreign = true}), IsEmpty());
}

TEST_F(inspected, a_list_has_locks_only_and_no_side_keys)
{
    const auto held = mutex_.acquire();
    shared_mutex both{client_, "both"};
    const auto reader = both.shared().acquire();
    set({"SET", "theirs", "0123456789abcdef0123", "PX", "20000"});
    set({"SET", "text", "hello"});
    EXPECT_THAT(names(), ElementsAre("both", "job"));
    EXPECT_THAT(names({.foreign = true}), ElementsAre("both", "job", "theirs"));
    EXPECT_THAT(names({.pattern = "j*"}), ElementsAre("job"));
    EXPECT_THAT(names({.pattern = "pawl:*"}), IsEmpty());
}

TEST_F(inspected, a_list_ends_when_the_function_says_so)
{
    const auto held = mutex_.acquire();
    mutex another{client_, "another"};
    const auto also = another.acquire();
    int calls = 0;
    const auto summary = inspector{client_}.list({}, [&](const lock_info&) {
        ++calls;
        return false;
    });
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(summary.locks, 1U);
}

TEST_F(inspected, arguments_are_checked)
{
    const inspector eye{client_};
    EXPECT_EQ(code_of([&] { (void)eye.look(""); }), errc::bad_argument);
    try {
        eye.list({.page = 0}, [](const auto&) { return true; });
        FAIL();
    } catch (const error& problem) {
        EXPECT_EQ(problem.code(), errc::bad_argument);
        EXPECT_THAT(problem.what(), HasSubstr("page 0 (allowed: 1 to 10000)"));
    }
}

}  // namespace
}  // namespace pawl::test
