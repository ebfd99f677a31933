// An acquire by two bare commands, and when a script is used instead.
#include "unit/one_server_fixture.h"

namespace pawl::store {
namespace {

// The server's clock shows 5000 s since the epoch at second 100 of ours.
class bare_acquire : public one_server {
protected:
    bare_acquire()
    {
        record_.replies = {"$23\r\n1 5000000000 5000000000\r\n"};
        static_cast<void>(acquire(base::boot_time{100s}));
        record_.requests.clear();
        record_.since = base::boot_time{100s};
    }

    // The requests so far, by their first words.
    words commands()
    {
        words all;
        for (const auto& each : record_.requests) all.push_back(each.front());
        return all;
    }

    // The flags that the last request had.
    std::string flags() { return record_.requests.back().at(8); }

    static constexpr base::boot_time now{100'500ms};
    static constexpr std::uint64_t known = 5'001'000'000;
};

TEST_F(bare_acquire, is_two_commands)
{
    record_.replies = {"+OK\r\n", ":5001000001\r\n"};
    const auto got = granted(now, known);
    EXPECT_EQ(got.fence, 5'001'000'001U);
    EXPECT_EQ(got.hint.value, 5'001'000'001U) << "the next one may be bare too";
    EXPECT_EQ(record_.requests, (std::vector<words>{{"SET", "a", "me", "NX", "PX", "30000"},
                                                    {"INCR", "pawl:fence:{a}"}}));
}

TEST_F(bare_acquire, that_finds_the_lock_taken_is_followed_by_the_script)
{
    record_.replies = {"_\r\n", ":5001000001\r\n", "$16\r\n0 250 5010000000\r\n"};
    EXPECT_EQ(busy(now, known).left, 250ms);
    EXPECT_EQ(commands(), (words{"SET", "INCR", "EVALSHA"}));
    EXPECT_EQ(flags(), "0");
}

TEST_F(bare_acquire, with_a_fence_older_than_the_connection_is_repaired_by_the_script)
{
    for (const auto* const number : {":4999999999\r\n", ":1\r\n", "-ERR no integer\r\n"}) {
        record_.requests.clear();
        record_.replies = {"+OK\r\n", number, "$23\r\n2 5010000000 5000500000\r\n"};
        EXPECT_EQ(granted(now, known).fence, 5'010'000'000U);
        EXPECT_EQ(commands(), (words{"SET", "INCR", "EVALSHA"}));
        EXPECT_EQ(flags(), "9") << "it may have the lock, and may have created a fence";
    }
}

TEST_F(bare_acquire, that_finds_the_lock_taken_and_created_a_fence_has_it_repaired)
{
    record_.replies = {"_\r\n", ":1\r\n", "$16\r\n0 250 5010000000\r\n"};
    static_cast<void>(busy(now, known));
    EXPECT_EQ(flags(), "8");
}

TEST_F(bare_acquire, that_took_the_lock_is_not_forgotten_if_the_script_gets_no_answer)
{
    for (const auto* const number : {":1\r\n", "-OOM\r\n"}) {
        record_.replies = {"+OK\r\n", number};
        const auto got = failed(now, known);
        EXPECT_TRUE(got.maybe_executed);
        EXPECT_FALSE(got.maybe_late) << "the bare acquire was answered";
        record_.replies = {"+OK\r\n", number, "-LOADING\r\n"};
        EXPECT_TRUE(failed(now, known).maybe_executed);
    }
}

TEST_F(bare_acquire, without_an_answer_may_be_executed_at_any_time)
{
    record_.is_sent = true;
    for (const auto& replies : {std::deque<std::string>{}, std::deque<std::string>{"+OK\r\n"}}) {
        record_.replies = replies;
        const auto got = failed(now, known);
        EXPECT_TRUE(got.maybe_executed);
        EXPECT_TRUE(got.maybe_late);
    }
}

TEST_F(bare_acquire, that_is_not_allowed_is_not_tried_again)
{
    record_.replies = {"+OK\r\n", "-NOPERM no\r\n", "$23\r\n2 5010000000 5010000000\r\n",
                       "$23\r\n1 5011000000 5011000000\r\n"};
    static_cast<void>(granted(now, known));
    static_cast<void>(granted(now, 5'010'000'000));
    EXPECT_EQ(commands(), (words{"SET", "INCR", "EVALSHA", "EVALSHA"}));
}

TEST_F(bare_acquire, is_not_tried_when_the_fence_cannot_be_trusted)
{
    const auto is_tried = [&](base::boot_time when, std::uint64_t number) {
        record_.requests.clear();
        record_.replies.clear();
        static_cast<void>(acquire(when, number));
        return commands().front() == "SET";
    };
    EXPECT_TRUE(is_tried(now, known));
    EXPECT_FALSE(is_tried(now, 0)) << "the lock may not be free";
    EXPECT_FALSE(is_tried(now, 4'999'999'999)) << "from before the connection was made";
    record_.since = base::boot_time{105s};
    EXPECT_FALSE(is_tried(now, known)) << "the fence is older than the connection";
    record_.since = base::boot_time{100s};
    EXPECT_FALSE(is_tried(base::boot_time{161s}, known))
        << "the server's time was not received for too long";
}

TEST_F(bare_acquire, is_not_tried_for_a_request_with_special_options)
{
    const auto is_tried = [&](const core::acquire_request& what) {
        record_.requests.clear();
        record_.replies.clear();
        static_cast<void>(acquire(what));
        return commands().front() == "SET";
    };
    EXPECT_TRUE(is_tried(asked(now, known)));
    auto what = asked(now, known);
    what.fair = true;
    EXPECT_FALSE(is_tried(what)) << "it must not overtake a waiter";
    what = asked(now, known);
    what.reserve = 1;
    EXPECT_FALSE(is_tried(what)) << "INCR reserves nothing";
    what = asked(now, known);
    what.first = false;
    EXPECT_FALSE(is_tried(what)) << "it may have a place, or the lock";
}

TEST_F(bare_acquire, without_an_answer_is_repeated_by_a_script_that_repairs_the_fence)
{
    record_.replies = {"$23\r\n2 5010000000 5010000000\r\n"};
    auto what = asked(now, known);
    what.first = false;
    what.repeated = true;
    static_cast<void>(acquire(what));
    EXPECT_EQ(commands(), (words{"EVALSHA"}));
    EXPECT_EQ(flags(), "9");
}

TEST_F(bare_acquire, is_not_hinted_for_a_lock_of_another_layout)
{
    const core::object hash{.name = "a", .layout = layout::hash};
    record_.replies = {"$23\r\n1 5010000000 5010000000\r\n"};
    auto what = asked(now);
    what.mine.what = &hash;
    EXPECT_FALSE(std::get<core::granted>(acquire(what)).hint);
}

TEST_F(bare_acquire, is_not_tried_when_the_fence_may_be_forgotten)
{
    record_.replies = {"$25\r\n1 50000000000 50000000000\r\n"};
    const auto later = base::boot_time{100s} + 45'000s;
    static_cast<void>(acquire(later));
    record_.requests.clear();
    static_cast<void>(acquire(later, known));
    EXPECT_EQ(commands(), (words{"EVALSHA"}));
    record_.requests.clear();
    static_cast<void>(acquire(later, 10'000'000'000));
    EXPECT_EQ(commands().front(), "SET");
}

// ── The server's replicas and history ───────────────────────────────────────────────────────────

TEST_F(bare_acquire, asks_about_replicas_once_a_second)
{
    EXPECT_EQ(record_.asked_about, 1U);
    record_.replies = {"+OK\r\n", ":5001000001\r\n", "+OK\r\n", ":5001000002\r\n"};
    static_cast<void>(granted(now, known));
    EXPECT_EQ(record_.asked_about, 1U);
    static_cast<void>(granted(base::boot_time{101s}, known));
    EXPECT_EQ(record_.asked_about, 2U);
    EXPECT_EQ(commands(), (words{"SET", "INCR", "SET", "INCR"}));
}

TEST_F(bare_acquire, is_not_trusted_if_the_server_has_become_a_primary_since)
{
    record_.about.history = "two";
    record_.replies = {"+OK\r\n", ":5001000001\r\n", "$23\r\n2 5010000000 5010000000\r\n"};
    EXPECT_EQ(granted(base::boot_time{101s}, known).fence, 5'010'000'000U);
    EXPECT_EQ(commands(), (words{"SET", "INCR", "EVALSHA"}));
    EXPECT_EQ(flags(), "9");
    record_.requests.clear();
    record_.replies = {"$23\r\n1 5010000001 5010000001\r\n"};
    static_cast<void>(granted(base::boot_time{101'100ms}, 5'009'999'999));
    EXPECT_EQ(commands(), (words{"EVALSHA"})) << "the number is from before";
}

TEST_F(bare_acquire, is_not_trusted_if_its_answer_comes_long_after_the_last_question)
{
    record_.replies = {"+OK\r\n", ":5001000001\r\n", "$23\r\n2 5010000000 5010000000\r\n"};
    const auto what = asked(now, known);
    platform_->time = base::boot_time{101s};
    static_cast<void>(server_.execute(what, what.until, nullptr));
    EXPECT_EQ(commands(), (words{"SET", "INCR", "EVALSHA"}));
}

TEST_F(bare_acquire, is_never_used_again_once_a_replica_was_seen)
{
    record_.about.replicas = 1;
    record_.replies = {"+OK\r\n", ":5001000001\r\n", "$23\r\n2 5010000000 5010000000\r\n"};
    static_cast<void>(granted(base::boot_time{101s}, known));
    record_.about.replicas = 0;
    record_.replies = {"$23\r\n1 5010000001 5010000001\r\n"};
    static_cast<void>(granted(base::boot_time{103s}, 5'010'000'000));
    EXPECT_EQ(commands(), (words{"SET", "INCR", "EVALSHA", "EVALSHA"}));
    EXPECT_EQ(record_.asked_about, 2U) << "there is nothing more to ask";
}

TEST_F(bare_acquire, is_not_used_if_the_question_is_not_allowed)
{
    record_.info_error = "-NOPERM no\r\n";
    record_.replies = {"+OK\r\n", ":5001000001\r\n", "$23\r\n2 5010000000 5010000000\r\n",
                       "$23\r\n1 5010000001 5010000001\r\n"};
    static_cast<void>(granted(base::boot_time{101s}, known));
    static_cast<void>(granted(base::boot_time{101'001ms}, 5'010'000'000));
    EXPECT_EQ(commands(), (words{"SET", "INCR", "EVALSHA", "EVALSHA"}));
    EXPECT_EQ(record_.asked_about, 2U);
}

TEST_F(bare_acquire, is_not_tried_where_replicas_may_take_over)
{
    single_server replicated{platform_, std::make_unique<scripted>(record_), 0,
                             server_settings{.replicated = true}};
    record_.replies = {"$23\r\n1 5000000000 5000000000\r\n", "$23\r\n1 5010000000 5010000000\r\n"};
    const auto acquire = [&](const core::acquire_request& what) {
        return std::get<core::granted>(
            std::get<core::acquire_reply>(replicated.execute(what, what.until, nullptr)));
    };
    record_.requests.clear();
    static_cast<void>(acquire(asked(base::boot_time{100s})));
    EXPECT_EQ(acquire(asked(now, known)).fence, 5'010'000'000U);
    EXPECT_EQ(commands(), (words{"EVALSHA", "EVALSHA"}));
}

}  // namespace
}  // namespace pawl::store
