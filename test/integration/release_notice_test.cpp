// The announcement of every full release on lock:release:NAME.
#include "integration/contended.h"
#include "support/subscriber.h"

#include <regex>
#include <thread>

namespace pawl::test {
namespace {

struct notice {
    std::string key;
    std::chrono::milliseconds time{};
    std::string holder;
};

// The text in a JSON string. Throws if it is not one: by RFC 8259, control characters, quotes and
// backslashes must be escaped.
std::string json_string(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (static_cast<unsigned char>(text[i]) < 0x20 || text[i] == '"') {
            throw std::runtime_error{"not escaped: " + std::string{text}};
        }
        if (text[i] != '\\') {
            out += text[i];
            continue;
        }
        constexpr std::string_view names = "\"\\/bfnrt";
        constexpr std::string_view values = "\"\\/\b\f\n\r\t";
        const char name = text.at(++i);
        if (name == 'u') {
            const auto code = std::stoul(std::string{text.substr(i + 1, 4)}, nullptr, 16);
            if (code > 0x7F) throw std::runtime_error{"needlessly escaped: " + std::string{text}};
            out += static_cast<char>(code);
            i += 4;
        } else {
            out += values.at(names.find(name));
        }
    }
    return out;
}

// Expects these members, in this order.
notice read_notice(const std::string& message)
{
    static const std::regex form{
        R"re(\{"lockKey":"((?:[^"\\]|\\.)*)","releaseTime":([0-9]+),"holder":"((?:[^"\\]|\\.)*)"\})re"};
    std::smatch parts;
    if (!std::regex_match(message, parts, form)) {
        throw std::runtime_error{"not a notice: " + message};
    }
    return {.key = json_string(parts[1].str()),
            .time = std::chrono::milliseconds{std::stoll(parts[2].str())},
            .holder = json_string(parts[3].str())};
}

class release_notice : public contended {
protected:
    [[nodiscard]] subscriber listen(const std::string& name)
    {
        return subscriber{server_.socket_path(), "lock:release:" + name};
    }

    [[nodiscard]] std::chrono::milliseconds server_time()
    {
        const auto parts = probe_.must({"TIME"}).texts();
        return std::chrono::seconds{std::stoll(parts.at(0))} +
               std::chrono::milliseconds{std::stoll(parts.at(1)) / 1000};
    }
};

class release_notice_in : public release_notice, public testing::WithParamInterface<layout> {};

INSTANTIATE_TEST_SUITE_P(layouts, release_notice_in, testing::Values(layout::plain, layout::hash),
                         layout_name);

TEST_P(release_notice_in, names_the_lock_the_time_and_the_holder)
{
    subscriber listener = listen("user:profile:1001");
    mutex lock{first_, "user:profile:1001", quick(long_lease, GetParam())};
    hold held = lock.acquire();
    const std::string id = held.id();
    const auto before = server_time();
    held.release();
    const auto message = listener.next();
    ASSERT_TRUE(message);
    const notice told = read_notice(*message);
    EXPECT_EQ(told.key, "user:profile:1001");
    EXPECT_EQ(told.holder, id);
    EXPECT_GE(told.time, before);
    EXPECT_LE(told.time, server_time());
    EXPECT_EQ(*message, R"({"lockKey":"user:profile:1001","releaseTime":)" +
                            std::to_string(told.time.count()) + R"(,"holder":")" + id + R"("})");
    EXPECT_EQ(listener.next(100ms), std::nullopt);
}

TEST_P(release_notice_in, is_json_for_any_name)
{
    using namespace std::string_literals;
    for (const std::string& name :
         {"a \"quoted\" name"s, "back\\slash\\"s, "\\\""s, "line\nbreak\r\ttab\b\f"s,
          "\x01\x02\x1f\x7f"s, "sl/ash"s, "Größe 价格 🔒"s, "{tag}:name"s, "{\"lockKey\":1}"s,
          "</script>"s, "%s %d $1"s}) {
        subscriber listener = listen(name);
        mutex lock{first_, name, quick(long_lease, GetParam())};
        hold held = lock.acquire();
        const std::string id = held.id();
        held.release();
        const auto message = listener.next();
        ASSERT_TRUE(message) << name;
        EXPECT_EQ(read_notice(*message).key, name) << *message;
        EXPECT_EQ(read_notice(*message).holder, id);
    }
}

TEST_P(release_notice_in, is_json_even_if_the_name_is_not_text)
{
    const std::string name = "\xff\xfe bytes \xc3";
    subscriber listener = listen(name);
    mutex lock{first_, name, quick(long_lease, GetParam())};
    lock.acquire().release();
    const auto message = listener.next();
    ASSERT_TRUE(message);
    EXPECT_EQ(read_notice(*message).key, "\uFFFD\uFFFD bytes \uFFFD");
}

TEST_P(release_notice_in, is_not_published_unless_it_is_enabled)
{
    subscriber listener = listen("job");
    lock_options silent = quick(long_lease, GetParam());
    silent.announce = false;
    mutex lock{first_, "job", silent};
    lock.acquire().release();
    EXPECT_EQ(listener.next(300ms), std::nullopt);
}

TEST_P(release_notice_in, is_published_for_a_hand_over_too)
{
    subscriber listener = listen("job");
    mutex mine{first_, "job", quick(long_lease, GetParam())};
    mutex theirs{second_, "job", quick(long_lease, GetParam())};
    hold held = mine.acquire();
    const std::string id = held.id();
    asking next{theirs};
    ASSERT_TRUE(until_queued(1));
    held.release();
    auto message = listener.next();
    ASSERT_TRUE(message);
    EXPECT_EQ(read_notice(*message).holder, id);

    auto got = next.result();
    ASSERT_TRUE(got);
    const std::string next_id = got->id();
    got->release();
    message = listener.next();
    ASSERT_TRUE(message);
    EXPECT_EQ(read_notice(*message).holder, next_id);
}

TEST_F(release_notice, is_published_once_when_the_last_re_entry_is_released)
{
    subscriber listener = listen("job");
    recursive_mutex lock{first_, "job", quick(long_lease)};
    hold outer = lock.acquire();
    hold inner = lock.acquire();
    inner.release();
    EXPECT_EQ(listener.next(300ms), std::nullopt);
    outer.release();
    EXPECT_TRUE(listener.next());
    EXPECT_EQ(listener.next(100ms), std::nullopt);
}

TEST_F(release_notice, is_not_published_by_a_waiter_that_gives_up)
{
    subscriber listener = listen("job");
    mutex mine{first_, "job", quick(long_lease)};
    mutex theirs{second_, "job", quick(long_lease)};
    const hold held = mine.acquire();
    EXPECT_FALSE(theirs.try_acquire());
    EXPECT_FALSE(theirs.try_acquire_for(100ms));
    EXPECT_EQ(listener.next(300ms), std::nullopt);
}

}  // namespace
}  // namespace pawl::test
