#include "store/redis/single_server.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pawl::store {
namespace {

using namespace std::chrono_literals;
using words = std::vector<std::string>;

// Records the requests, and answers from a list.
class scripted final : public redis::transport {
public:
    struct record {
        std::vector<words> requests;
        std::deque<std::string> replies;
        base::boot_time since{};
        bool is_sent = false;  // whether a request without a reply was sent
    };
    explicit scripted(record& where) : record_{&where} {}

    std::optional<redis::failure> call(
        const writer& request, const waiting& /*how*/,
        const std::function<void(const redis::reply_view&)>& read) override
    {
        std::string bytes;
        auto left = request({.major_version = 7, .since = record_->since}, bytes);
        std::string_view rest = bytes;
        while (!rest.empty()) {
            redis::reply_parser asked;
            EXPECT_EQ(asked.parse(rest), redis::parse_status::complete);
            auto& mine = record_->requests.emplace_back();
            asked.reply(rest).for_each([&](const auto& word) { mine.emplace_back(word.text()); });
            rest.remove_prefix(asked.consumed());
        }
        for (; left > 0; --left) {
            if (record_->replies.empty()) return redis::failure{{}, {}, record_->is_sent};
            const auto reply = std::move(record_->replies.front());
            record_->replies.pop_front();
            redis::reply_parser answered;
            EXPECT_EQ(answered.parse(reply), redis::parse_status::complete);
            read(answered.reply(reply));
        }
        return std::nullopt;
    }
    void submit(writer, std::chrono::milliseconds, reader) override {}
    void connect() override {}
    void listen(std::string, redis::listener&) override {}
    [[nodiscard]] const std::string& shown() const noexcept override { return shown_; }

private:
    record* record_;
    std::string shown_ = "scripted";
};

class one_server : public testing::Test {
protected:
    [[nodiscard]] core::acquire_request asked(base::boot_time now, std::uint64_t known = 0) const
    {
        return {.mine = {&object_, "me"},
                .lease = 30s,
                .sent = now,
                .until = now + 1s,
                .hint = {.value = known}};
    }

    core::acquire_reply acquire(const core::acquire_request& what)
    {
        return std::get<core::acquire_reply>(server_.execute(what, what.until, nullptr));
    }
    core::acquire_reply acquire(base::boot_time now, std::uint64_t known = 0)
    {
        return acquire(asked(now, known));
    }

    // The result of an acquire with such an answer.
    core::granted granted(base::boot_time now, std::uint64_t known = 0)
    {
        return std::get<core::granted>(acquire(now, known));
    }
    core::busy busy(base::boot_time now, std::uint64_t known = 0)
    {
        return std::get<core::busy>(acquire(now, known));
    }
    core::failure failed(base::boot_time now, std::uint64_t known = 0)
    {
        return std::get<core::failure>(acquire(now, known));
    }

    // The third argument of the request, after the script's name and the keys.
    std::string wanted_until(std::size_t request)
    {
        constexpr std::size_t where = 7;
        return record_.requests.at(request).at(where);
    }

    scripted::record record_;
    single_server server_{std::make_shared<base::system_platform>(),
                          std::make_unique<scripted>(record_), 0};
    core::object object_{.name = "a"};
};

TEST_F(one_server, is_told_until_when_an_acquire_is_wanted_if_its_time_is_known)
{
    record_.replies = {"$16\r\n0 100 5000000000\r\n", "$15\r\n1 17 5060000000\r\n"};
    static_cast<void>(busy(base::boot_time{100s}));
    static_cast<void>(granted(base::boot_time{160s}));
    ASSERT_EQ(record_.requests.size(), 2U);
    EXPECT_EQ(wanted_until(0), "0");
    EXPECT_EQ(wanted_until(1), "0000005061001000");
}

TEST_F(one_server, gives_no_place_in_the_queue_before_its_time_is_known)
{
    record_.replies = {"$16\r\n0 100 5000000000\r\n", "$16\r\n0 100 5060000000\r\n"};
    auto waiting = asked(base::boot_time{100s});
    waiting.wait = 30s;
    EXPECT_FALSE(std::get<core::busy>(acquire(waiting)).queued);
    waiting.sent = base::boot_time{160s};
    EXPECT_TRUE(std::get<core::busy>(acquire(waiting)).queued);
    ASSERT_EQ(record_.requests.size(), 2U);
    EXPECT_EQ(record_.requests[0].at(8), "0");
    EXPECT_EQ(record_.requests[1].at(8), "2");
    EXPECT_TRUE(record_.requests[1].at(9).starts_with("0000005090001x"));
}

TEST_F(one_server, whose_clock_was_stepped_is_asked_again_with_the_right_time)
{
    record_.replies = {"$16\r\n0 100 5000000000\r\n", "$15\r\n-1 0 9000000000\r\n",
                       "$15\r\n1 17 9000000000\r\n"};
    static_cast<void>(busy(base::boot_time{100s}));
    static_cast<void>(granted(base::boot_time{100s}));
    ASSERT_EQ(record_.requests.size(), 3U);
    EXPECT_EQ(wanted_until(2), "0000009001001000");
}

TEST_F(one_server, that_rejects_everything_as_late_is_not_asked_forever)
{
    record_.replies = std::deque<std::string>(10, "$15\r\n-1 0 9000000000\r\n");
    EXPECT_EQ(failed(base::boot_time{100s}).what, core::failure_kind::unavailable);
    EXPECT_LE(record_.requests.size(), 3U);
}

TEST_F(one_server, that_does_not_know_a_script_gets_it_once)
{
    record_.replies = {"-NOSCRIPT No matching script.\r\n", "$15\r\n-1 0 9000000000\r\n",
                       "$15\r\n1 17 9000000000\r\n"};
    static_cast<void>(granted(base::boot_time{100s}));
    ASSERT_EQ(record_.requests.size(), 3U);
    EXPECT_EQ(record_.requests[0].front(), "EVALSHA");
    EXPECT_EQ(record_.requests[1].front(), "EVAL");
    EXPECT_EQ(record_.requests[2].front(), "EVALSHA");
}

// ── Renewals ────────────────────────────────────────────────────────────────────────────────────

class many_renewals : public one_server {
protected:
    core::renew_request::reply renew(std::vector<const core::object*> locks)
    {
        core::renew_request all;
        for (const auto* const each : locks)
            all.all.push_back({.mine = {each, "me"}, .lease = 30s});
        return std::get<core::renew_request::reply>(
            server_.execute(std::move(all), base::boot_time{101s}, nullptr));
    }

    core::object hash_{.name = "h", .layout = layout::hash};
    core::object other_{.name = "b"};
};

TEST_F(many_renewals, are_one_call_for_each_layout)
{
    record_.replies = {"*2\r\n:1\r\n:0\r\n", "*1\r\n:-1\r\n"};
    using enum core::hold_status;
    EXPECT_EQ(renew({&object_, &hash_, &other_}),
              (core::renew_request::reply{done, taken, vanished}))
        << "in the order of the requests";
    ASSERT_EQ(record_.requests.size(), 2U);
    EXPECT_EQ(record_.requests[0][2], "2");
    EXPECT_EQ(record_.requests[1][1], redis::scripts::hash_renew.sha);
}

TEST_F(many_renewals, that_are_refused_together_are_tried_one_by_one)
{
    record_.replies = {"-NOPERM no\r\n", "-NOPERM no\r\n", "*1\r\n:1\r\n"};
    const auto got = renew({&object_, &other_});
    EXPECT_EQ(std::get<core::failure>(got[0]).what, core::failure_kind::refused);
    EXPECT_EQ(std::get<core::hold_status>(got[1]), core::hold_status::done);
    EXPECT_EQ(record_.requests.size(), 3U);
}

TEST_F(many_renewals, with_an_unknown_script_are_sent_in_full_where_needed)
{
    record_.replies = {"*1\r\n:1\r\n", "-NOSCRIPT No matching script.\r\n", "*1\r\n:1\r\n"};
    using enum core::hold_status;
    EXPECT_EQ(renew({&object_, &hash_}), (core::renew_request::reply{done, done}));
    ASSERT_EQ(record_.requests.size(), 3U);
    EXPECT_EQ(record_.requests[2][0], "EVAL");
    EXPECT_TRUE(record_.requests[2][1].starts_with("#!lua"));
}

TEST_F(many_renewals, that_were_answered_in_part_keep_those_answers)
{
    record_.is_sent = true;
    record_.replies = {"*1\r\n:1\r\n"};
    const auto got = renew({&object_, &hash_});
    EXPECT_EQ(std::get<core::hold_status>(got[0]), core::hold_status::done);
    EXPECT_TRUE(std::get<core::failure>(got[1]).maybe_executed);
}

// ── A bare acquire ──────────────────────────────────────────────────────────────────────────────

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

    static constexpr base::boot_time now{110s};
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
        record_.replies = {"+OK\r\n", number, "$23\r\n2 5010000000 5010000000\r\n"};
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

}  // namespace
}  // namespace pawl::store
