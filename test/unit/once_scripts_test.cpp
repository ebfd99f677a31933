// The scripts of a once_per in the in-process Redis: a lock "a", its fence, its queue, its mark "m".
#include "redis/scripts.h"
#include "store/redis/message.h"
#include "store/redis/place.h"
#include "unit/engine_fixture.h"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace pawl::store::memory {
namespace {

using namespace std::chrono_literals;

class once_scripts : public engine_test {
protected:
    struct how {
        bool repeated = false;
        bool aligned = false;
        bool retries = false;
        std::chrono::milliseconds period = 1h;
        std::chrono::milliseconds lease = 30s;
        std::string wanted_until = "0";
    };

    once_scripts()
    {
        engine_.on_push([this](session, std::string_view bytes) { heard_ += shown(bytes); });
        ask({"HELLO", "3"}, listener);
        ask({"SUBSCRIBE", channel_of(client)}, listener);
    }

    static std::string id(char letter) { return "p" + std::string(31, letter); }

    std::string begin(const std::string& who) { return begin(who, {}); }
    std::string begin(const std::string& who, const how& asked)
    {
        return ask({"EVAL", redis::scripts::once_acquire.text, "4", "a", "f", "q", "m", who,
                    asked.wanted_until, asked.repeated ? "1" : "0",
                    place_text({}, {client, asked.lease, 0}, 0ms),
                    std::to_string(asked.period.count()), asked.aligned ? "1" : "",
                    asked.retries ? "retry" : "once"});
    }

    std::string end(const std::string& who, bool used_up)
    {
        return ask({"EVAL", redis::scripts::once_release.text, "4", "a", "f", "q", "m", who, "0",
                    "", used_up ? "1" : ""});
    }

    // A waiter of a mutex with the same name joins the queue.
    void wait_for_mutex(const std::string& who)
    {
        const auto until = std::chrono::floor<std::chrono::milliseconds>(now_) + 9s;
        ask({"EVAL", redis::scripts::plain_acquire.text, "3", "a", "f", "q", who, "0", "2",
             place_text({}, {client, 3s, 0}, until)});
    }

    std::string due_in() { return ask({"EVAL", redis::scripts::once_due.text, "1", "m"}); }
    std::string mark() { return text_of("m"); }
    std::string holder() { return text_of("a"); }

    std::string text_of(std::string_view key)
    {
        const auto got = ask({"GET", key});
        if (got == "_|" || got == "$-1|") return {};
        const auto from = got.find('|') + 1;
        return got.substr(from, got.size() - from - 1);
    }

    [[nodiscard]] std::string said(const std::string& code_and_number) const
    {
        const auto text = code_and_number + " " + std::to_string(now_.count());
        return "$" + std::to_string(text.size()) + "|" + text + "|";
    }
    [[nodiscard]] std::string begun() const { return said("1 " + std::to_string(now_.count())); }
    [[nodiscard]] std::string begun_before() const
    {
        return said("2 " + std::to_string(now_.count()));
    }
    [[nodiscard]] std::string not_due(std::chrono::milliseconds left) const
    {
        return said("-8 " + std::to_string(left.count()));
    }

    static constexpr session listener = 2;
    static constexpr std::string_view client = "c0c0c0c0c0c0c0c0";
    std::string x_ = id('1');
    std::string y_ = id('2');
    std::string heard_;
};

TEST_F(once_scripts, a_run_takes_the_lock_and_marks_the_period)
{
    EXPECT_EQ(due_in(), ":0|");
    EXPECT_EQ(begin(x_), begun());
    EXPECT_EQ(holder(), x_);
    EXPECT_EQ(ask({"PTTL", "a"}), ":30000|");
    EXPECT_EQ(mark(), "once " + x_);
    EXPECT_EQ(due_in(), ":3600000|");
}

TEST_F(once_scripts, while_a_run_is_under_way_others_are_busy)
{
    begin(x_);
    pass(10s);
    EXPECT_EQ(begin(y_), said("0 20000"));
    EXPECT_EQ(mark(), "once " + x_);
}

TEST_F(once_scripts, after_a_run_none_is_due_until_its_period_is_over)
{
    begin(x_);
    pass(10s);
    EXPECT_EQ(end(x_, true), ":1|");
    EXPECT_EQ(mark(), "done");
    EXPECT_EQ(holder(), "");
    EXPECT_EQ(begin(y_), not_due(1h - 10s));
    EXPECT_EQ(holder(), "");
    pass(1h - 10s - 1ms);
    EXPECT_EQ(begin(y_), not_due(1ms));
    pass(1ms);
    EXPECT_EQ(begin(y_), begun());
}

TEST_F(once_scripts, a_run_that_does_not_count_is_due_again_at_once)
{
    begin(x_, {.retries = true});
    EXPECT_EQ(due_in(), ":0|");
    EXPECT_EQ(end(x_, false), ":1|");
    EXPECT_EQ(mark(), "");
    pass(1s);
    EXPECT_EQ(begin(y_, {.retries = true}), begun());
    EXPECT_EQ(end(y_, true), ":1|");
    EXPECT_EQ(begin(x_, {.retries = true}), not_due(1h));
}

TEST_F(once_scripts, a_crashed_run_counts_unless_it_is_to_be_retried)
{
    begin(x_);
    pass(31s);
    EXPECT_EQ(begin(y_), not_due(1h - 31s));
    pass(1h);
    begin(x_, {.retries = true});
    pass(31s);
    EXPECT_EQ(begin(y_, {.retries = true}), begun());
}

TEST_F(once_scripts, a_run_that_lasts_longer_than_the_period_keeps_others_out)
{
    begin(x_, {.period = 5s});
    pass(6s);
    EXPECT_EQ(begin(y_, {.period = 5s}), said("0 24000"));
    EXPECT_EQ(end(x_, true), ":1|");
    EXPECT_EQ(mark(), "");
    EXPECT_EQ(begin(y_, {.period = 5s}), begun());
}

// The test begins 13 min 20 s past the hour.
TEST_F(once_scripts, aligned_periods_end_at_multiples_of_the_period)
{
    EXPECT_EQ(begin(x_, {.aligned = true}), begun());
    EXPECT_EQ(due_in(), ":2800000|");
    end(x_, true);
    EXPECT_EQ(due_in(), ":2800000|");
    pass(2800s - 1us);
    EXPECT_EQ(begin(y_, {.aligned = true}), not_due(1ms));
    pass(1us);
    EXPECT_EQ(begin(y_, {.aligned = true}), begun());
    EXPECT_EQ(due_in(), ":3600000|");
}

TEST_F(once_scripts, a_run_in_the_last_ms_of_an_aligned_period_leaves_a_mark)
{
    pass(2800s - 1ms);
    EXPECT_EQ(begin(x_, {.aligned = true}), begun());
    end(x_, true);
    EXPECT_EQ(begin(y_, {.aligned = true}), not_due(2ms));
}

TEST_F(once_scripts, a_repeated_begin_finds_its_run_and_the_period_counts_from_then)
{
    begin(x_);
    pass(20s);
    EXPECT_EQ(begin(x_, {.repeated = true}), begun_before());
    EXPECT_EQ(ask({"PTTL", "a"}), ":30000|");
    EXPECT_EQ(due_in(), ":3600000|");
}

TEST_F(once_scripts, a_first_request_that_comes_after_its_repetition_changes_nothing)
{
    begin(x_, {.repeated = true});
    pass(20s);
    EXPECT_EQ(begin(x_), said("0 10000"));
    EXPECT_EQ(due_in(), ":3580000|");
}

// Its caller has not heard of the run, so it has not run anything.
TEST_F(once_scripts, a_repeated_begin_whose_lease_is_over_begins_again)
{
    begin(x_);
    pass(31s);
    EXPECT_EQ(begin(x_, {.repeated = true}), begun());
}

TEST_F(once_scripts, a_begin_that_comes_after_the_end_of_its_run_begins_no_second_one)
{
    begin(x_);
    end(x_, true);
    EXPECT_EQ(begin(x_, {.repeated = true}), not_due(1h));
    EXPECT_EQ(begin(x_), not_due(1h));
}

TEST_F(once_scripts, a_begin_that_comes_too_late_begins_nothing)
{
    EXPECT_EQ(begin(x_, {.wanted_until = "1699999999999999"}), said("-1 0"));
    EXPECT_EQ(mark(), "");
    EXPECT_EQ(holder(), "");
}

TEST_F(once_scripts, a_repeated_end_changes_nothing)
{
    begin(x_, {.retries = true});
    end(x_, false);
    begin(y_, {.retries = true});
    EXPECT_EQ(end(x_, false), ":-1|");
    EXPECT_EQ(end(x_, true), ":-1|");
    EXPECT_EQ(mark(), "retry " + y_);
    EXPECT_EQ(holder(), y_);
    end(y_, true);
    EXPECT_EQ(end(y_, true), ":0|");
    EXPECT_EQ(end(y_, false), ":0|");
    EXPECT_EQ(mark(), "done");
}

TEST_F(once_scripts, a_run_that_lost_its_lock_counts_if_no_other_has_begun)
{
    begin(x_, {.retries = true});
    pass(31s);
    EXPECT_EQ(end(x_, true), ":0|");
    EXPECT_EQ(mark(), "done");
    EXPECT_EQ(begin(y_, {.retries = true}), not_due(1h - 31s));
}

TEST_F(once_scripts, the_end_of_a_lost_run_does_not_touch_the_mark_of_the_next_one)
{
    begin(x_, {.retries = true});
    pass(31s);
    begin(y_, {.retries = true});
    EXPECT_EQ(end(x_, true), ":-1|");
    EXPECT_EQ(mark(), "retry " + y_);
    EXPECT_EQ(end(x_, false), ":-1|");
    EXPECT_EQ(mark(), "retry " + y_);
}

TEST_F(once_scripts, the_fence_grows_with_each_run)
{
    begin(x_, {.retries = true});
    end(x_, false);
    EXPECT_EQ(begin(y_, {.retries = true}), said("1 " + std::to_string(now_.count() + 1)));
}

TEST_F(once_scripts, the_end_hands_over_to_a_waiter_of_a_mutex)
{
    begin(x_);
    wait_for_mutex(y_);
    EXPECT_EQ(end(x_, true), ":1|");
    EXPECT_EQ(holder(), y_);
    EXPECT_EQ(mark(), "done");
    EXPECT_NE(heard_.find("grant " + y_), std::string::npos);
}

TEST_F(once_scripts, everything_expires)
{
    begin(x_);
    end(x_, true);
    EXPECT_EQ(ask({"EXISTS", "a", "f", "q", "m"}), ":2|");
    pass(25h);
    EXPECT_EQ(ask({"EXISTS", "a", "f", "q", "m"}), ":0|");
    begin(x_, {.aligned = true, .retries = true});
    EXPECT_EQ(ask({"EXISTS", "a", "f", "q", "m"}), ":3|");
    pass(25h);
    EXPECT_EQ(ask({"EXISTS", "a", "f", "q", "m"}), ":0|");
}

TEST_F(once_scripts, values_of_other_programs_are_left_alone)
{
    ask({"SET", "a", "hello"});
    EXPECT_EQ(begin(x_), said("-3 -1"));
    ask({"SET", "a", "a-token-of-another-library", "PX", "5000"});
    EXPECT_EQ(begin(x_), said("-2 5000"));
    ask({"DEL", "a"});
    ask({"LPUSH", "m", "hello"});
    EXPECT_NE(begin(x_).find("WRONGTYPE"), std::string::npos);
    EXPECT_EQ(holder(), "");
}

}  // namespace
}  // namespace pawl::store::memory
