// The scripts of a shared mutex in the in-process Redis.
#include "unit/members_scripts_fixture.h"

#include <string>

namespace pawl::store::memory {
namespace {

using core::entry_mode;

constexpr std::string_view t0 = "1700000000000000";

class shared_scripts : public members_scripts {
protected:
    shared_scripts() : members_scripts{""} {}

    static std::string reader(char letter) { return id(letter) + "1"; }
    static std::string writer(char letter) { return id(letter) + "1000000000"; }

    std::string read(char letter, const how& asked = {})
    {
        return enter(reader(letter), entry_mode::reader, asked);
    }
    std::string write(char letter, const how& asked = {})
    {
        return enter(writer(letter), entry_mode::writer, asked);
    }
    static std::string granted(std::string_view fence, std::string_view time = t0)
    {
        return answer("1 " + std::string{fence} + " " + std::string{time});
    }
    static std::string busy(int left, std::string_view time = t0)
    {
        return answer("0 " + std::to_string(left) + " " + std::string{time});
    }
};

TEST_F(shared_scripts, readers_are_in_together)
{
    EXPECT_EQ(read('a'), granted(t0));
    EXPECT_EQ(read('b'), granted(t0));
    EXPECT_EQ(out(), "-2");
}

TEST_F(shared_scripts, a_writer_is_alone)
{
    write('a');
    EXPECT_EQ(read('b', {.join = false}), busy(3000));
    EXPECT_EQ(write('c', {.join = false}), busy(3000));
    EXPECT_EQ(out(), "-1000000000");
}

TEST_F(shared_scripts, a_writer_waits_for_readers)
{
    read('a');
    EXPECT_EQ(write('b'), busy(3000));
    EXPECT_EQ(leave(reader('a')), ":1|");
    EXPECT_EQ(heard(), grant(writer('b'), "1700000000000001", std::string{t0}));
    EXPECT_EQ(check(writer('b')), ":1|");
    EXPECT_EQ(read('c', {.join = false}), busy(3000));
}

TEST_F(shared_scripts, a_reader_does_not_overtake_a_writer_that_waits)
{
    read('a');
    write('b');
    EXPECT_EQ(read('c'), busy(3000));
    EXPECT_EQ(ask({"LLEN", "q"}), ":4|");
}

TEST_F(shared_scripts, a_reader_that_may_overtake_enters_beside_readers)
{
    read('a');
    write('b');
    EXPECT_EQ(read('c', {.in_order = false}), granted(t0));
}

TEST_F(shared_scripts, a_writer_that_leaves_lets_in_all_readers_at_the_head_of_the_queue)
{
    write('a');
    read('b');
    read('c');
    write('d');
    read('e');
    EXPECT_EQ(leave(writer('a')), ":1|");
    EXPECT_EQ(heard(), grant(reader('b'), std::string{t0}, std::string{t0}) +
                           grant(reader('c'), std::string{t0}, std::string{t0}));
    EXPECT_EQ(out(), "-2");
    EXPECT_EQ(ask({"LLEN", "q"}), ":4|") << "the writer, and the reader behind it";
}

TEST_F(shared_scripts, readers_behind_a_writer_that_gives_up_are_let_in)
{
    read('a');
    write('b');
    read('c');
    EXPECT_EQ(leave(writer('b')), ":0|");
    EXPECT_EQ(heard(), grant(reader('c'), std::string{t0}, std::string{t0}));
    EXPECT_EQ(ask({"EXISTS", "q"}), ":0|");
}

TEST_F(shared_scripts, a_writer_whose_client_is_gone_does_not_block_readers)
{
    read('a');
    write('b', {.client = deaf_client});
    EXPECT_EQ(read('c'), granted(t0));
    EXPECT_EQ(ask({"EXISTS", "q"}), ":0|");
}

TEST_F(shared_scripts, each_reader_has_its_own_lease)
{
    read('a', {.lease = 1s});
    read('b', {.lease = 3s});
    write('c');
    pass(1s);
    EXPECT_EQ(check(reader('a')), ":0|") << "not removed yet, but over";
    EXPECT_EQ(renew(reader('a'), "3000"), "*1|:0|");
    EXPECT_EQ(check(reader('b')), ":1|");
    pass(1s);
    EXPECT_EQ(write('c', {.repeated = true}), busy(1000, "1700000002000000"));
    EXPECT_EQ(out(), "-1");
    pass(1s);
    EXPECT_EQ(write('c', {.repeated = true}), granted("1700000003000000", "1700000003000000"));
}

TEST_F(shared_scripts, a_renewal_moves_the_end_of_its_own_lease)
{
    read('a', {.lease = 1s});
    read('b', {.lease = 1s});
    pass(500ms);
    EXPECT_EQ(renew(reader('a'), "3000"), "*1|:1|");
    pass(500ms);
    EXPECT_EQ(check(reader('a')), ":1|");
    EXPECT_EQ(check(reader('b')), ":0|");
    EXPECT_EQ(ask({"PTTL", "a"}), ":2500|");
    EXPECT_EQ(renew(reader('a'), "20"), "*1|:1|") << "does not shorten it";
    pass(2s);
    EXPECT_EQ(check(reader('a')), ":1|");
}

TEST_F(shared_scripts, readers_carry_the_fence_of_the_last_writer)
{
    write('a');
    leave(writer('a'));
    pass(1s);
    EXPECT_EQ(read('b'), granted(t0, "1700000001000000"));
    EXPECT_EQ(read('c'), granted(t0, "1700000001000000"));
    leave(reader('b'));
    leave(reader('c'));
    EXPECT_EQ(write('d'), granted("1700000001000000", "1700000001000000"));
}

TEST_F(shared_scripts, a_writers_fence_is_greater_than_that_of_readers_before_it)
{
    read('a');
    leave(reader('a'));
    EXPECT_EQ(write('b'), granted("1700000000000001"));
}

TEST_F(shared_scripts, a_repeated_request_finds_its_grant_and_counts_once)
{
    read('a');
    EXPECT_EQ(read('a', {.repeated = true}), answer("2 1700000000000000 1700000000000000"));
    EXPECT_EQ(out(), "-1");
    EXPECT_EQ(leave(reader('a')), ":1|");
    EXPECT_EQ(leave(reader('a')), ":0|");
    EXPECT_EQ(ask({"EXISTS", "a"}), ":0|");
}

TEST_F(shared_scripts, a_delayed_first_request_does_not_join_after_its_repetition_was_granted)
{
    read('a', {.repeated = true});
    EXPECT_EQ(read('a'), busy(3000));
    EXPECT_EQ(ask({"EXISTS", "q"}), ":0|");
}

TEST_F(shared_scripts, a_request_that_comes_too_late_does_nothing)
{
    EXPECT_EQ(read('a', {.wanted_until = "1600000000000000"}), answer("-1 0 1700000000000000"));
    EXPECT_EQ(ask({"EXISTS", "a"}), ":0|");
}

TEST_F(shared_scripts, the_first_in_the_queue_enters_when_it_looks)
{
    write('a', {.lease = 1s});
    write('b');
    read('c');
    pass(1s);
    EXPECT_EQ(write('b', {.repeated = true}), granted("1700000001000000", "1700000001000000"));
    EXPECT_EQ(ask({"LLEN", "q"}), ":2|");
}

TEST_F(shared_scripts, one_that_looks_lets_in_those_before_it)
{
    write('a', {.lease = 1s});
    read('b');
    read('c');
    pass(1s);
    EXPECT_EQ(read('c', {.repeated = true}), answer("1 1700000000000000 1700000001000000"));
    EXPECT_EQ(heard(), grant(reader('b'), std::string{t0}, "1700000001000000"));
    EXPECT_EQ(ask({"EXISTS", "q"}), ":0|");
}

TEST_F(shared_scripts, one_that_looks_and_enters_lets_in_those_behind_it)
{
    write('a');
    write('b', {.stay = 1s});
    read('c');
    read('d');
    pass(3s);
    EXPECT_EQ(read('c', {.repeated = true}), granted(t0, "1700000003000000"));
    EXPECT_EQ(heard(), grant(reader('d'), std::string{t0}, "1700000003000000"));
    EXPECT_EQ(ask({"EXISTS", "q"}), ":0|");
    EXPECT_EQ(out(), "-2");
}

TEST_F(shared_scripts, a_delayed_first_request_that_enters_leaves_no_place)
{
    write('a', {.lease = 1s});
    read('b', {.repeated = true});
    pass(1s);
    EXPECT_EQ(read('b'), granted(t0, "1700000001000000"));
    EXPECT_EQ(ask({"EXISTS", "q"}), ":0|");
}

TEST_F(shared_scripts, a_place_that_a_holder_has_left_in_the_queue_does_not_block_others)
{
    read('b');
    write('c');
    ask({"LPUSH", "q", place(entry_mode::reader, {}), reader('b')});
    EXPECT_EQ(leave(reader('b')), ":1|");
    EXPECT_EQ(heard(), grant(writer('c'), "1700000000000001", std::string{t0}));
}

TEST_F(shared_scripts, a_sum_that_is_wrong_is_corrected_when_nobody_is_in)
{
    read('a');
    ask({"ZADD", "a", "-7", "out"});
    leave(reader('a'));
    EXPECT_EQ(out(), "-6");
    EXPECT_EQ(write('b'), busy(-1));
    EXPECT_EQ(write('b', {.repeated = true}), granted("1700000000000001"));
}

TEST_F(shared_scripts, a_set_of_another_program_with_a_member_of_the_same_name_is_left_alone)
{
    ask({"ZADD", "a", "17", "in", "12", "out"});
    EXPECT_TRUE(read('a').starts_with("-WRONGTYPE"));
    EXPECT_EQ(out(), "12");
    EXPECT_EQ(ask({"PTTL", "a"}), ":-1|");
}

TEST_F(shared_scripts, a_release_of_a_semaphore_of_the_same_name_changes_nothing)
{
    write('a');
    read('b');
    capacity_ = "5";
    EXPECT_EQ(leave(id('c') + "1"), ":0|");
    EXPECT_EQ(heard(), "");
    EXPECT_EQ(ask({"ZCARD", "a"}), ":2|");
}

TEST_F(shared_scripts, a_set_of_another_program_is_left_alone)
{
    ask({"ZADD", "a", "5", "alice", "9", "bob"});
    EXPECT_TRUE(read('a').starts_with("-WRONGTYPE"));
    EXPECT_TRUE(leave(reader('a')).starts_with("-WRONGTYPE"));
    EXPECT_EQ(renew(reader('a'), "3000"), "*1|:0|");
    EXPECT_EQ(ask({"ZCARD", "a"}), ":2|");
}

TEST_F(shared_scripts, a_value_of_another_type_is_refused)
{
    ask({"SET", "a", "x"});
    EXPECT_TRUE(read('a').starts_with("-WRONGTYPE"));
    EXPECT_EQ(renew(reader('a'), "3000"), "*1|:-2|");
}

TEST_F(shared_scripts, a_semaphore_of_the_same_name_is_refused)
{
    read('a');
    capacity_ = "5";
    EXPECT_EQ(enter(id('b') + "1", entry_mode::writer, {}), answer("-6 0 1700000000000000"));
    leave(reader('a'));
    enter(id('b') + "1", entry_mode::writer, {});
    capacity_ = "";
    EXPECT_EQ(read('a'), answer("-6 0 1700000000000000"));
}

// ── Exchange ────────────────────────────────────────────────────────────────────────────────────

class shared_exchange : public shared_scripts {
protected:
    std::string exchange(const std::string& old, const std::string& now, entry_mode mode)
    {
        return ask({"EVAL", redis::scripts::members_exchange.text, "3", "a", "f", "q", now, "0",
                    "0", place(mode, {}), "", old});
    }
};

TEST_F(shared_exchange, a_writer_becomes_a_reader_and_lets_in_the_readers_at_the_head)
{
    write('a');
    read('b');
    write('c');
    EXPECT_EQ(exchange(writer('a'), reader('d'), entry_mode::reader), granted(t0));
    EXPECT_EQ(heard(), grant(reader('b'), std::string{t0}, std::string{t0}));
    EXPECT_EQ(out(), "-2");
    EXPECT_EQ(check(writer('a')), ":0|");
    EXPECT_EQ(exchange(writer('a'), reader('d'), entry_mode::reader),
              answer("2 1700000000000000 1700000000000000"))
        << "a repeated request";
    EXPECT_EQ(out(), "-2");
}

TEST_F(shared_exchange, the_only_reader_becomes_the_writer_before_those_that_wait)
{
    read('a');
    write('b');
    EXPECT_EQ(exchange(reader('a'), writer('c'), entry_mode::writer), granted("1700000000000001"));
    EXPECT_EQ(out(), "-1000000000");
    EXPECT_EQ(ask({"LLEN", "q"}), ":2|");
}

TEST_F(shared_exchange, one_of_two_readers_does_not_become_the_writer)
{
    read('a');
    read('b');
    EXPECT_EQ(exchange(reader('a'), writer('c'), entry_mode::writer), busy(-1));
    EXPECT_EQ(check(reader('a')), ":1|");
    EXPECT_EQ(out(), "-2");
}

TEST_F(shared_exchange, a_holder_that_is_gone_changes_nothing)
{
    EXPECT_EQ(exchange(writer('a'), reader('b'), entry_mode::reader),
              answer("-7 0 1700000000000000"));
    EXPECT_EQ(ask({"EXISTS", "a"}), ":0|");
}

}  // namespace
}  // namespace pawl::store::memory
