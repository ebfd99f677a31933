// The requests of the Redis store, word by word, and how it reads replies.
#include "store/redis/announcement.h"
#include "store/redis/message.h"
#include "store/redis/place.h"
#include "store/redis/reading.h"
#include "unit/wire_fixture.h"

#include <span>
#include <variant>

namespace pawl::store {
namespace {

TEST_F(wire, an_acquire_names_all_keys_of_the_lock_and_whether_it_is_a_repeat)
{
    auto request = acquire();
    EXPECT_EQ(written(request),
              (word_list{"EVALSHA", std::string{redis::scripts::plain_acquire.sha}, "3", "a",
                         "pawl:fence:{a}", "pawl:queue:{a}", "me", "0", "0",
                         "0000000000000x0000000000000000000030000"}));
    request.repeated = true;
    request.mine.what = &hash_;
    const auto repeated = written(request);
    EXPECT_EQ(repeated[1], redis::scripts::hash_acquire.sha);
    EXPECT_EQ(repeated[8], "1");
}

TEST_F(wire, an_acquire_contains_how_it_would_wait)
{
    auto request = acquire();
    request.wait = 1500ms;
    request.client = "0123456789abcdef";
    request.reserve = 1000;
    request.sent = base::boot_time{10s};
    server_clock clock{0};
    clock.heard(1'700'000'000'000ms, base::boot_time{10s});
    EXPECT_EQ(from(written(request, clock), 8),
              (word_list{"18", "1700000001501x0123456789abcdef100030000"}));
    request.fair = true;
    EXPECT_EQ(written(request, clock)[8], "22");
}

TEST_F(wire, a_place_in_the_queue_contains_what_the_server_needs)
{
    const std::string_view client = "0123456789abcdef";
    EXPECT_EQ(place_text({}, {.client = client, .lease = 9s}, 1'700'000'000'000ms),
              "1700000000000x0123456789abcdef00009000");
    EXPECT_EQ(place_text({}, {.client = client, .lease = 24h, .reserve = 1000}, 5s),
              "0000000005000x0123456789abcdef100086400000");
    EXPECT_EQ(place_text({}, {.client = {}, .lease = 20ms, .reserve = 9'999}, 0ms),
              "0000000000000x0000000000000000999920");
}

TEST_F(wire, the_place_of_a_waiter_at_a_gate_has_no_lease)
{
    EXPECT_EQ(place_text({.name = {}, .kind = core::object_kind::latch},
                         {.client = "0123456789abcdef", .lease = 30s}, 1'700'000'000'000ms),
              "1700000000000x0123456789abcdef0000");
}

TEST_F(wire, an_acquire_contains_its_end_by_the_servers_clock)
{
    auto request = acquire();
    request.until = base::boot_time{10s};
    server_clock clock{0.05};
    clock.heard(1'000'000ms, base::boot_time{9s});
    // One second later, plus 5 % of it for the drift, plus 1 ms because the time was rounded down.
    EXPECT_EQ(written(request, clock)[7], "0000001001051000");
}

TEST_F(wire, a_keep_contains_the_used_fences_and_how_many_are_wanted)
{
    core::keep_request request{
        .mine = {&hash_, "me"}, .lease = 30s, .used = 17, .reserve = 1000, .reserved = 20};
    EXPECT_EQ(written(request), (word_list{"EVALSHA", std::string{redis::scripts::hash_keep.sha},
                                           "3", "a", "pawl:fence:{a}", "pawl:queue:{a}", "me", "17",
                                           "", "30000", "1000", "20"}));
    request.announce = true;
    EXPECT_EQ(written(request)[8], R"({"lockKey":"a","releaseTime":1700000000123,"holder":"me"})");
}

TEST_F(wire, a_release_says_only_what_is_needed)
{
    auto request = release();
    EXPECT_EQ(from(written(request), 6), (word_list{"me", "0"}));
    request.used = 17;
    EXPECT_EQ(from(written(request), 6), (word_list{"me", "17"}));
    request.has_reserve = true;
    EXPECT_EQ(from(written(request), 6), (word_list{"me", "17", "", "1"}));
    request.has_reserve = false;
    request.announce = true;
    const auto loud = written(request);
    ASSERT_EQ(loud.size(), 9U);
    EXPECT_EQ(loud[8], R"({"lockKey":"a","releaseTime":1700000000123,"holder":"me"})");
}

TEST_F(wire, an_announcement_is_json_whatever_the_names_are)
{
    const wall_time time{1'700'000'000'123ms};
    EXPECT_EQ(announcement("a", "me", time),
              R"({"lockKey":"a","releaseTime":1700000000123,"holder":"me"})");
    EXPECT_EQ(announcement("say \"a\"", "m\\e", time),
              R"({"lockKey":"say \"a\"","releaseTime":1700000000123,"holder":"m\\e"})");
}

TEST_F(wire, a_count_is_written_only_in_the_hash_layout)
{
    core::count_request request{.mine = {&hash_, "me"}, .lease = 30s, .count = 3};
    EXPECT_EQ(written(request),
              (word_list{"EVALSHA", std::string{redis::scripts::hash_set_count.sha}, "1", "a", "me",
                         "30000", "3"}));
    request.mine.what = &object_;
    EXPECT_EQ(written(request), (word_list{"EVALSHA", std::string{redis::scripts::plain_renew.sha},
                                           "1", "a", "me", "30000"}));
}

TEST_F(wire, a_script_that_the_server_does_not_know_is_sent_in_full)
{
    const auto words = written(release(), {script_form::in_full, new_server});
    EXPECT_EQ(words[0], "EVAL");
    EXPECT_TRUE(words[1].starts_with("#!lua flags=allow-oom\n"));
}

TEST_F(wire, an_old_server_gets_scripts_without_flags)
{
    EXPECT_EQ(written(release(), {script_form::by_sha, old_server})[1],
              redis::scripts::plain_release.sha_without_flags);
    EXPECT_TRUE(written(release(), {script_form::in_full, old_server})[1].starts_with(
        "local who = redis.call("));
}

TEST_F(wire, many_renewals_are_one_request)
{
    const core::extend_request two[] = {{.mine = mine_, .lease = 30s},
                                        {.mine = {&other_, "you"}, .lease = 5s}};
    EXPECT_EQ(from(written(std::span{two}), 2),
              (word_list{"2", "a", "b", "me", "30000", "you", "5000"}));
}

TEST_F(wire, replies_to_an_acquire)
{
    EXPECT_EQ(granted("$6\r\n1 17 5\r\n").fence, 17U);
    EXPECT_FALSE(granted("$6\r\n1 17 5\r\n").found);
    EXPECT_EQ(granted("$6\r\n2 17 5\r\n").fence, 17U);
    EXPECT_TRUE(granted("$6\r\n2 17 5\r\n").found);
    EXPECT_EQ(busy("$7\r\n0 250 5\r\n").left, 250ms);
    EXPECT_EQ(busy("$6\r\n0 -1 5\r\n").left, -1ms);
    EXPECT_EQ(failure_of_reply(read_text(acquire(), "$6\r\n-1 0 5\r\n")),
              failure_kind::unavailable);
}

TEST_F(wire, a_busy_reply_to_a_waiting_acquire_means_that_it_is_in_the_queue)
{
    auto request = acquire();
    const auto queued = [&request] {
        return std::get<core::busy>(read_text(request, "$7\r\n0 250 5\r\n")).queued;
    };
    EXPECT_FALSE(queued());
    request.wait = 30s;
    EXPECT_TRUE(queued());
}

TEST_F(wire, a_busy_reply_may_say_how_many_wait)
{
    auto request = acquire();
    request.wait = 30s;
    const auto waiters = [&](const std::string& text) {
        return std::get<core::busy>(read_text(request, bulk(text))).waiters;
    };
    EXPECT_EQ(waiters("0 250 5"), 0U);
    EXPECT_EQ(waiters("0 250 5 3"), 3U);
    EXPECT_EQ(waiters("0 250 5 -3"), 0U);
    EXPECT_EQ(waiters("0 250 5 9223372036854775807"), 1'000'000'000U);
    for (const std::string nonsense : {"0 250 5 x", "0 250 5 3 4", "1 250 5 3", "-1 0 5 3"}) {
        const auto got = read_text(request, bulk(nonsense));
        EXPECT_TRUE(std::holds_alternative<core::failure>(got)) << nonsense;
    }
}

TEST_F(wire, replies_to_a_keep)
{
    const auto got = [this](const std::string& reply) {
        return read_text(core::keep_request{.mine = mine_}, reply);
    };
    EXPECT_EQ(std::get<core::kept>(got("$4\r\n1 17\r\n")).fence, 17U);
    EXPECT_TRUE(std::holds_alternative<core::handed_over>(got("$3\r\n2 0\r\n")));
    EXPECT_EQ(std::get<hold_status>(got("$3\r\n0 0\r\n")), hold_status::vanished);
    EXPECT_EQ(std::get<hold_status>(got("$4\r\n-1 0\r\n")), hold_status::taken);
    EXPECT_TRUE(std::holds_alternative<core::superseded>(got("$4\r\n-2 0\r\n")));
    EXPECT_EQ(std::get<hold_status>(got("-WRONGTYPE Operation\r\n")), hold_status::not_a_lock);
}

TEST_F(wire, replies_to_other_requests)
{
    const auto of_release = [this](const std::string& reply) {
        return std::get<hold_status>(read_text(release(), reply));
    };
    EXPECT_EQ(of_release(":1\r\n"), hold_status::done);
    EXPECT_EQ(of_release(":0\r\n"), hold_status::vanished);
    EXPECT_EQ(of_release(":-1\r\n"), hold_status::taken);
    EXPECT_EQ(of_release("-WRONGTYPE Operation\r\n"), hold_status::not_a_lock);
    const std::vector<core::extend_request> four(4, {.mine = mine_, .lease = 30s});
    EXPECT_EQ(read_text(std::span{four}, "*4\r\n:1\r\n:0\r\n:-1\r\n:-2\r\n"),
              (std::vector<core::hold_reply>{hold_status::done, hold_status::vanished,
                                             hold_status::taken, hold_status::not_a_lock}));
}

TEST_F(wire, invalid_replies_grant_nothing)
{
    for (const std::string reply :
         {":1\r\n", "*0\r\n", "$5\r\n1 0 5\r\n", "*3\r\n:1\r\n:17\r\n:5\r\n", "$5\r\n2 0 5\r\n",
          "$5\r\n3 5 5\r\n", "$4\r\n1 17\r\n", "$8\r\n1 17 5 5\r\n", "$5\r\n0 x 5\r\n",
          "$0\r\n\r\n", "$-1\r\n", "+OK\r\n", "*1\r\n:1\r\n"}) {
        const auto got = std::get<failure>(read_text(acquire(), reply));
        EXPECT_EQ(got.what, failure_kind::refused) << reply;
        EXPECT_TRUE(got.maybe_executed) << "it may have been a grant";
    }
    for (const std::string reply : {"+OK\r\n", ":7\r\n", "*1\r\n:1\r\n", "$-1\r\n"}) {
        EXPECT_EQ(failure_of_reply(read_text(release(), reply)), failure_kind::refused) << reply;
    }
    const core::keep_request keep{.mine = mine_};
    for (const std::string reply :
         {":1\r\n", "$3\r\n1 0\r\n", "*2\r\n:1\r\n:17\r\n", "$3\r\n3 0\r\n", "$4\r\n-3 0\r\n"}) {
        EXPECT_EQ(failure_of_reply(read_text(keep, reply)), failure_kind::refused) << reply;
    }
    const core::keep_request with_used_numbers{.mine = mine_, .used = 17, .reserved = 20};
    EXPECT_EQ(failure_of_reply(read_text(with_used_numbers, "$4\r\n1 20\r\n")),
              failure_kind::refused);
    EXPECT_TRUE(std::holds_alternative<core::kept>(read_text(with_used_numbers, "$4\r\n1 21\r\n")));
    const std::vector<core::extend_request> two(2, {.mine = mine_, .lease = 30s});
    EXPECT_EQ(failure_of_reply(read_text(std::span{two}, "*1\r\n:1\r\n")[1]),
              failure_kind::refused);
}

TEST_F(wire, kinds_of_errors_are_distinguished)
{
    const auto of = [&](const std::string& text) {
        return failure_of_reply(read_text(acquire(), "-" + text + "\r\n"));
    };
    EXPECT_EQ(of("WRONGTYPE Operation against a key"), failure_kind::not_a_lock);
    EXPECT_EQ(of("ERR Error running script: WRONGTYPE Operation"), failure_kind::not_a_lock);
    EXPECT_EQ(of("OOM command not allowed"), failure_kind::refused);
    EXPECT_EQ(of("NOPERM no"), failure_kind::refused);
    EXPECT_EQ(of("READONLY You can't write"), failure_kind::elsewhere);
    EXPECT_EQ(of("ERR Error running script (call to f_1): @user_script:5: @user_script: 5: "
                 "-READONLY You can't write against a read only replica."),
              failure_kind::elsewhere);
    EXPECT_EQ(of("UNBLOCKED force unblock from blocking operation"), failure_kind::elsewhere);
    EXPECT_EQ(of("NOREPLICAS Not enough good replicas to write."), failure_kind::unavailable);
    EXPECT_EQ(of("MOVED 866 127.0.0.1:7001"), failure_kind::elsewhere);
    EXPECT_EQ(of("ASK 866 127.0.0.1:7001"), failure_kind::elsewhere);
    EXPECT_EQ(of("ERR unknown command 'READONLY'"), failure_kind::refused);
    EXPECT_EQ(of("LOADING Redis is loading"), failure_kind::unavailable);
    EXPECT_EQ(of("BUSY Redis is busy running a script"), failure_kind::unavailable);
    EXPECT_EQ(of("MASTERDOWN Link with MASTER is down"), failure_kind::elsewhere);
}

TEST_F(wire, a_busy_reply_tells_what_kind_of_holder_it_is)
{
    using core::held_by;
    const auto holder = [&](const std::string& code) {
        const auto got = busy(bulk(code + " 250 5"));
        EXPECT_EQ(got.left, 250ms);
        return got.holder;
    };
    EXPECT_EQ(holder("0"), held_by::pawl);
    EXPECT_EQ(holder("-2"), held_by::foreign);
    EXPECT_EQ(holder("-3"), held_by::no_lock);
}

TEST_F(wire, numbers_from_the_server_cannot_cause_overflows)
{
    const auto left = [&](const std::string& number) {
        return busy(bulk("-2 " + number + " 5")).left;
    };
    EXPECT_EQ(left("9000000000000000"), 24h);
    EXPECT_EQ(left("9223372036854775807"), 24h);
    EXPECT_EQ(left("-9223372036854775808"), -1ms);

    for (const std::string fence : {"9007199254740993", "9223372036854775807", "-5"}) {
        const auto got = std::get<failure>(read_text(acquire(), bulk("1 " + fence + " 5")));
        EXPECT_EQ(got.what, failure_kind::refused);
        EXPECT_TRUE(got.maybe_executed) << "the lock was taken and must be given back";
        EXPECT_FALSE(read_message("grant me " + fence + " 1700000000000000 a"));
    }
    EXPECT_TRUE(read_message("grant me 17 1700000000000000 a"));
    for (const std::string time :
         {"9223372036854775807", "9000000000000000000", "-1", "0", "999"}) {
        EXPECT_FALSE(read_message("grant me 17 " + time + " a")) << time;
        const auto reply = bulk("1 17 " + time);
        redis::reply_parser parser;
        EXPECT_EQ(parser.parse(reply), redis::parse_status::complete);
        EXPECT_FALSE(read_time(parser.reply(reply))) << time;
    }
}

TEST(failures, of_a_refused_connection_say_that_there_is_no_server)
{
    const auto got = failure_of({redis::failure_kind::nobody_listens, "refused", false});
    EXPECT_EQ(got.what, failure_kind::unreachable);
    EXPECT_TRUE(got.no_server);
    EXPECT_FALSE(got.maybe_executed);
}

}  // namespace
}  // namespace pawl::store
