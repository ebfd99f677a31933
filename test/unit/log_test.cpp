// The records of the log: their names, fields and text, and what a client writes when something fails.
#include "unit/memory_fixture.h"

#include <pawl/log.h>

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace pawl::test {
namespace {

using ::testing::HasSubstr;

TEST(log_record, is_one_line_of_json)
{
    const log_record one{.level = log_level::warning,
                         .name = "hold.jeopardy",
                         .text = "lock 'a\"b'\n",
                         .fields = {{"lock", "a\"b"}, {"detail", "\xff"}}};
    EXPECT_EQ(to_json(one),
              R"({"level":"warning","event":"hold.jeopardy","text":"lock 'a\"b'\u000a",)"
              R"("lock":"a\"b","detail":")"
              "\xEF\xBF\xBD\"}");
}

TEST(log_record, tells_in_json_how_many_were_left_out)
{
    EXPECT_EQ(to_json({.level = log_level::info, .name = "x", .text = "y", .left_out = 3}),
              R"({"level":"info","event":"x","text":"y","left_out":3})");
}

TEST(log_record, has_an_empty_text_for_a_field_that_it_does_not_have)
{
    const log_record one{.fields = {{"lock", "stock"}}};
    EXPECT_EQ(one["lock"], "stock");
    EXPECT_EQ(one["holder"], "");
}

class log_of_a_client : public with_memory {};

TEST_F(log_of_a_client, has_a_record_of_a_lost_hold_with_its_cause)
{
    mutex lock{client_, "stock", {.lease = 3s}};
    const hold held = lock.acquire();
    server_.lose("stock");
    server_.advance(1s);
    const auto one = events_.record("hold.lost");
    EXPECT_EQ(one.level, log_level::error);
    EXPECT_EQ(one["lock"], "stock");
    EXPECT_EQ(one["holder"], held.id());
    EXPECT_EQ(one["fence"], std::to_string(held.fence()));
    EXPECT_EQ(one["cause"], "vanished");
    EXPECT_EQ(one["server"], client_.server());
    EXPECT_EQ(one["valid_for_ms"], "0");
    EXPECT_THAT(one.text, HasSubstr("lock 'stock'"));
}

TEST_F(log_of_a_client, has_records_of_a_hold_in_jeopardy_and_of_its_rescue)
{
    mutex lock{client_, "stock", {.lease = 3s, .heartbeat = 1s}};
    hold held = lock.acquire();
    server_.advance(2s);
    const auto danger = events_.record("hold.jeopardy");
    EXPECT_EQ(danger.level, log_level::warning);
    EXPECT_EQ(danger["cause"], "no beat");
    EXPECT_NE(danger["valid_for_ms"], "0");
    held.beat();
    EXPECT_EQ(events_.record("hold.renewed").level, log_level::info);
}

TEST_F(log_of_a_client, has_a_record_of_an_unlock_by_another_thread)
{
    mutex lock{client_, "stock"};
    lock.unlock();
    const auto one = events_.record("unlock.not_owner");
    EXPECT_EQ(one.level, log_level::warning);
    EXPECT_EQ(one["lock"], "stock");
    EXPECT_EQ(one["error"], "not the owner");
}

TEST_F(log_of_a_client, has_a_record_of_a_release_that_failed)
{
    mutex lock{client_, "stock", {.lease = 30s, .renew = false}};
    std::string id;
    {
        const hold held = lock.acquire();
        id = held.id();
        server_.lose("stock");
    }
    const auto one = events_.record("release.failed");
    EXPECT_EQ(one.level, log_level::warning);
    EXPECT_EQ(one["lock"], "stock");
    EXPECT_EQ(one["holder"], id);
    EXPECT_FALSE(one["error"].empty());
    EXPECT_THAT(one.text, HasSubstr("release 'stock' on "));
}

// A fault of many locks.
class log_of_many_losses : public ::testing::Test {
protected:
    testing::memory_server server_;
    std::mutex mutex_;
    std::vector<log_record> records_;
    std::size_t events_ = 0;

    void fail_together(unsigned count)
    {
        client_options options;
        options.url = server_.url();
        options.log = [this](const log_record& one) {
            const std::lock_guard guard{mutex_};
            records_.push_back(one);
        };
        options.on_event = [this](const event& one) {
            const std::lock_guard guard{mutex_};
            if (one.to == hold_state::lost) ++events_;
        };
        client many{options};
        std::vector<std::unique_ptr<mutex>> locks;
        std::vector<hold> holds;
        for (unsigned i = 0; i < count; ++i) {
            locks.push_back(std::make_unique<mutex>(many, "lock" + std::to_string(i),
                                                    lock_options{.lease = 3s}));
            holds.push_back(locks.back()->acquire());
        }
        for (unsigned i = 0; i < count; ++i) server_.lose("lock" + std::to_string(i));
        server_.advance(1s);
        EXPECT_TRUE(eventually([&] {
            const std::lock_guard guard{mutex_};
            return events_ == count;
        }));
    }
};

TEST_F(log_of_many_losses, leaves_out_most_records_and_no_event)
{
    fail_together(100);
    const std::lock_guard guard{mutex_};
    EXPECT_EQ(events_, 100U);
    EXPECT_EQ(std::ranges::count(records_, "hold.lost", &log_record::name), 20);
}

}  // namespace
}  // namespace pawl::test
