#include "store/redis/single_server.h"

#include "core/keys.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pawl::store {
namespace {

using namespace std::chrono_literals;
using core::verb;
using core::verdict;
using words = std::vector<std::string>;

// Notes what is asked, and answers from a list.
class scripted final : public redis::transport {
public:
    struct record {
        std::vector<words> requests;
        std::deque<std::string> replies;
    };
    explicit scripted(record& where) : record_{&where} {}

    std::optional<unanswered> call(
        const writer& request, const waiting& /*how*/,
        const std::function<void(const redis::reply_view&)>& read) override
    {
        std::string bytes;
        request({.major_version = 7}, bytes);
        redis::reply_parser asked;
        EXPECT_EQ(asked.parse(bytes), redis::parse_status::complete);
        auto& mine = record_->requests.emplace_back();
        asked.reply(bytes).for_each([&](const auto& word) { mine.emplace_back(word.text()); });
        if (record_->replies.empty()) return unanswered{{}, false};

        const auto reply = std::move(record_->replies.front());
        record_->replies.pop_front();
        redis::reply_parser answered;
        EXPECT_EQ(answered.parse(reply), redis::parse_status::complete);
        read(answered.reply(reply));
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
    core::outcome acquire(base::boot_time now)
    {
        const core::operation what{.what = verb::acquire,
                                   .layout = layout::plain,
                                   .keys = &keys_,
                                   .holder = "me",
                                   .lease = 30s,
                                   .count = 1,
                                   .repeated = false,
                                   .sent = now,
                                   .until = now + 1s};
        return server_.execute(what, what.until, nullptr);
    }

    // What the request said; after the script's name and the keys it is the fifth argument.
    std::string wanted_until(std::size_t request)
    {
        constexpr std::size_t where = 11;
        return record_.requests.at(request).at(where);
    }

    scripted::record record_;
    single_server server_{std::make_unique<scripted>(record_), 0};
    core::lock_keys keys_ = core::keys_of("a");
};

TEST_F(one_server, is_told_until_when_an_acquire_is_wanted_once_its_time_is_known)
{
    record_.replies = {"*3\r\n:0\r\n:100\r\n:5000000\r\n", "*3\r\n:1\r\n:17\r\n:5060000\r\n"};
    EXPECT_EQ(acquire(base::boot_time{100s}).what, verdict::busy);
    EXPECT_EQ(acquire(base::boot_time{160s}).what, verdict::done);
    ASSERT_EQ(record_.requests.size(), 2U);
    EXPECT_EQ(wanted_until(0), "0");
    EXPECT_EQ(wanted_until(1), "5061001");
}

TEST_F(one_server, whose_clock_was_stepped_is_asked_again_with_the_right_time)
{
    record_.replies = {"*3\r\n:0\r\n:100\r\n:5000000\r\n", "*3\r\n:-1\r\n:0\r\n:9000000\r\n",
                       "*3\r\n:1\r\n:17\r\n:9000000\r\n"};
    EXPECT_EQ(acquire(base::boot_time{100s}).what, verdict::busy);
    EXPECT_EQ(acquire(base::boot_time{100s}).what, verdict::done);
    ASSERT_EQ(record_.requests.size(), 3U);
    EXPECT_EQ(wanted_until(2), "9001001");
}

TEST_F(one_server, that_finds_everything_late_is_not_asked_for_ever)
{
    record_.replies = std::deque<std::string>(10, "*3\r\n:-1\r\n:0\r\n:9000000\r\n");
    EXPECT_EQ(acquire(base::boot_time{100s}).what, verdict::unavailable);
    EXPECT_LE(record_.requests.size(), 3U);
}

TEST_F(one_server, that_does_not_know_a_script_gets_it_once)
{
    record_.replies = {"-NOSCRIPT No matching script.\r\n", "*3\r\n:-1\r\n:0\r\n:9000000\r\n",
                       "*3\r\n:1\r\n:17\r\n:9000000\r\n"};
    EXPECT_EQ(acquire(base::boot_time{100s}).what, verdict::done);
    ASSERT_EQ(record_.requests.size(), 3U);
    EXPECT_EQ(record_.requests[0].front(), "EVALSHA");
    EXPECT_EQ(record_.requests[1].front(), "EVAL");
    EXPECT_EQ(record_.requests[2].front(), "EVALSHA");
}

}  // namespace
}  // namespace pawl::store
