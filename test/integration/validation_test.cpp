// Bad values are refused with a message that has their name, the value and the allowed range.
#include "integration/fixture.h"

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace pawl::test {
namespace {

// The message must contain all of these words.
void expect_refused(const std::function<void()>& call, const std::vector<std::string>& words)
{
    const outcome told = outcome_of(call);
    EXPECT_EQ(told.code, errc::bad_argument) << told.message;
    for (const std::string& word : words) EXPECT_TRUE(says(told.message, word));
}

void expect_refused_client(const std::function<void(client_options&)>& change,
                           const std::vector<std::string>& words)
{
    client_options made;
    change(made);
    expect_refused([&] { const client refused{made}; }, words);
}

TEST(client_options_, are_checked_by_the_constructor_of_the_client)
{
    expect_refused_client([](auto& o) { o.connect_limit = 9ms; }, {"connect_limit", "9", "10 ms"});
    expect_refused_client([](auto& o) { o.connect_limit = 11min; }, {"connect_limit", "10 min"});
    expect_refused_client([](auto& o) { o.command_limit = -1ms; }, {"command_limit", "-1"});
    expect_refused_client([](auto& o) { o.command_limit = std::chrono::milliseconds::max(); },
                          {"command_limit"});
    expect_refused_client([](auto& o) { o.shutdown_limit = -5ms; }, {"shutdown_limit", "-5", "0"});
    expect_refused_client([](auto& o) { o.shutdown_limit = 11min; }, {"shutdown_limit", "10 min"});
    expect_refused_client([](auto& o) { o.pool_size = 0; }, {"pool_size", "0", "1024"});
    expect_refused_client([](auto& o) { o.pool_size = 1025; }, {"pool_size", "1025", "1024"});
    expect_refused_client([](auto& o) { o.clock_drift = -0.1; }, {"clock_drift", "-0.1", "0.5"});
    expect_refused_client([](auto& o) { o.clock_drift = 0.6; }, {"clock_drift", "0.6", "0.5"});
    expect_refused_client([](auto& o) { o.clock_drift = std::numeric_limits<double>::quiet_NaN(); },
                          {"clock_drift"});
    expect_refused_client([](auto& o) { o.database = -1; }, {"database", "-1"});
    expect_refused_client([](auto& o) { o.name = "two words"; }, {"name", "two words"});
    expect_refused_client([](auto& o) { o.tls.cert_file = "a.pem"; }, {"cert_file", "key_file"});
    expect_refused_client(
        [](auto& o) {
            o.password = "sesame";
            o.password_env = "SESAME";
        },
        {"password", "password_env"});
}

TEST(client_options_, at_the_limits_are_accepted)
{
    client_options made;
    made.connect_limit = 10ms;
    made.shutdown_limit = 0ms;
    made.pool_size = 1;
    made.clock_drift = 0;
    EXPECT_EQ(outcome_of([&] { const client own{made}; }).message, "");
    made.connect_limit = 10min;
    made.shutdown_limit = 10min;
    made.pool_size = 1024;
    made.clock_drift = 0.5;
    EXPECT_EQ(outcome_of([&] { const client own{made}; }).message, "");
}

TEST(urls, are_checked_by_the_constructor_of_the_client)
{
    const auto refused = [](const std::string& url, const std::vector<std::string>& words) {
        expect_refused([&] { const client own{url}; }, words);
    };
    refused("", {"redis://"});
    refused("http://example.org", {"http", "redis://", "rediss://", "unix:", "local:"});
    refused("redis://", {"host"});
    refused("redis://h:0", {"port", "0", "65535"});
    refused("redis://h:65536", {"port", "65536", "65535"});
    refused("redis://h/abc", {"database", "abc"});
    refused("redis://h/-1", {"database", "-1"});
    refused("redis://h?colour=red", {"colour", "password_file", "verify"});
    refused("rediss://h?verify=perhaps", {"verify", "perhaps", "on", "off"});
    refused("unix:relative/path", {"relative/path", "absolute"});
    refused("unix:/" + std::string(200, 'x'), {"107"});
    refused("redis://%zz@h", {"%"});
    refused("redis://[::1", {"]"});
}

TEST(urls, that_are_wrong_do_not_show_their_password)
{
    for (const std::string url :
         {"redis://user:sesame@h:99999", "redis://user:sesame@h/x", "http://user:sesame@h",
          "redis://user:sesame@", "redis://user:sesame%@h", "redis://:sesame@h?no=1",
          "redis://user:sesame", "rediss://user:sesame@h?verify=1", "redis:user:sesame@h",
          "redis://user:ses/ame@h", "redis://user:ses?ame@h", "unix:user:sesame@h"}) {
        const outcome told = outcome_of([&] { const client own{url}; });
        EXPECT_EQ(told.code, errc::bad_argument) << url;
        if (!url.starts_with("unix:")) {  // there it cannot be a password
            EXPECT_TRUE(hides(told.message, "sesame"));
            EXPECT_TRUE(hides(told.message, "ame@"));
        }
    }
}

TEST(urls, are_shown_without_user_and_password)
{
    const client own{"redis://me:sesame@localhost:7777/3?name=x"};
    EXPECT_EQ(own.server(), "redis://localhost:7777/3");
    EXPECT_TRUE(hides(own.server(), "sesame"));
    EXPECT_EQ(own.id().size(), 32);
    EXPECT_NE(own.id(), client{"redis://localhost"}.id());
}

class lock_settings : public with_server {
protected:
    client client_{options()};
};

TEST_F(lock_settings, are_checked_by_the_constructor_of_the_mutex)
{
    const auto refused = [&](const std::function<void(lock_options&)>& change,
                             const std::vector<std::string>& words) {
        lock_options made;
        change(made);
        expect_refused([&] { const mutex lock{client_, "job", made}; }, words);
        expect_refused([&] { const recursive_mutex lock{client_, "job", made}; }, words);
        expect_refused([&] { const fair_mutex lock{client_, "job", made}; }, words);
    };
    refused([](auto& o) { o.lease = 9ms; }, {"lease", "9", "10 ms", "24 h"});
    refused([](auto& o) { o.lease = 25h; }, {"lease", "24 h"});
    refused([](auto& o) { o.lease = -1s; }, {"lease", "-1"});
    refused([](auto& o) { o.wait = poll{0ms}; }, {"interval", "0", "1 ms", "1 min"});
    refused([](auto& o) { o.wait = poll{2min}; }, {"interval", "1 min"});
    refused([](auto& o) { o.linger = -1ms; }, {"linger", "-1 ms", "0 to 1 min"});
    refused([](auto& o) { o.linger = 60'001ms; }, {"linger", "60001 ms", "0 to 1 min"});
    refused([](auto& o) { o.layout = static_cast<layout>(7); }, {"layout", "7", "plain, hash"});
}

TEST_F(lock_settings, that_cannot_be_combined_with_lingering_are_refused)
{
    const auto refused = [&](const std::function<void(lock_options&)>& change,
                             const std::vector<std::string>& words) {
        lock_options made;
        made.linger = 100ms;
        change(made);
        expect_refused([&] { const mutex lock{client_, "job", made}; }, words);
        expect_refused([&] { const recursive_mutex lock{client_, "job", made}; }, words);
    };
    refused([](auto& o) { o.renew = false; },
            {"linger", "100 ms", "renew = false", "renew = true"});
    refused([](auto& o) { o.wait = poll{}; }, {"linger", "100 ms", "wait = poll", "wait = notify"});
    expect_refused([&] { const fair_mutex lock{client_, "job", {.linger = 1ms}}; },
                   {"linger", "1 ms", "fair_mutex", "0"});
}

TEST_F(lock_settings, can_be_combined_without_lingering)
{
    for (const bool renew : {false, true}) {
        for (const std::variant<notify, poll> wait :
             {std::variant<notify, poll>{notify{}}, std::variant<notify, poll>{poll{20ms}}}) {
            const lock_options made{.renew = renew, .wait = wait, .announce = !renew};
            EXPECT_EQ(outcome_of([&] {
                          mutex{client_, "job", made}.acquire().release();
                          recursive_mutex{client_, "job", made}.acquire().release();
                          fair_mutex{client_, "job", made}.acquire().release();
                      }).message,
                      "");
        }
    }
}

TEST_F(lock_settings, at_the_limits_are_accepted)
{
    lock_options made;
    made.lease = 10ms;
    made.wait = poll{1ms};
    EXPECT_EQ(outcome_of([&] { const mutex lock{client_, "job", made}; }).message, "");
    made.lease = 24h;
    made.wait = poll{1min};
    EXPECT_EQ(outcome_of([&] { const mutex lock{client_, "job", made}; }).message, "");
    for (const auto linger : {0ms, 1ms, 60'000ms}) {
        EXPECT_EQ(outcome_of([&] { const mutex lock{client_, "job", {.linger = linger}}; }).message,
                  "");
    }
    EXPECT_EQ(outcome_of([&] { const fair_mutex lock{client_, "job", {.linger = 0ms}}; }).message,
              "");
}

TEST_F(lock_settings, extensions_are_checked)
{
    mutex lock{client_, "job", quick(10s)};
    hold held = lock.acquire();
    expect_refused([&] { held.extend(0ms); }, {"0", "24 h"});
    expect_refused([&] { held.extend(25h); }, {"24 h"});
    expect_refused([&] { held.ensure(25h); }, {"24 h"});
    EXPECT_EQ(held.state(), hold_state::held);
}

TEST_F(lock_settings, names_that_are_empty_too_long_or_have_a_nul_are_refused)
{
    const std::string long_name(513, 'x');
    const std::string with_nul{"a\0b", 3};
    for (const std::string& name : {std::string{}, long_name, with_nul}) {
        expect_refused([&] { const mutex lock{client_, name}; }, {"name", "512", "NUL"});
        expect_refused([&] { const recursive_mutex lock{client_, name}; }, {"name", "512", "NUL"});
        expect_refused([&] { const fair_mutex lock{client_, name}; }, {"name", "512", "NUL"});
        expect_refused([&] { (void)stateless::try_lock(client_, name, "me", 1s); }, {"name"});
        expect_refused([&] { (void)stateless::unlock(client_, name, "me"); }, {"name"});
        expect_refused([&] { (void)stateless::try_lock(client_, "job", name, 1s); }, {"holder"});
    }
}

TEST_F(lock_settings, names_of_any_other_bytes_work)
{
    std::string all_bytes;
    for (int c = 1; c < 256; ++c) all_bytes += static_cast<char>(c);
    for (const std::string& name : std::vector<std::string>{"a",
                                                            "{",
                                                            "}",
                                                            "{}",
                                                            "}{",
                                                            "{a}",
                                                            "{}a",
                                                            "a{b}c",
                                                            "a{{b}}c",
                                                            "x}y{z",
                                                            "two words",
                                                            "line\r\nline",
                                                            "\n",
                                                            " ",
                                                            "Lager:Größe:倉庫",
                                                            "\xff\xfe",
                                                            all_bytes,
                                                            std::string(512, 'x'),
                                                            "pawl:fence:{job}",
                                                            "%d%s",
                                                            "*",
                                                            "'; DROP"}) {
        for (const layout where : {layout::plain, layout::hash}) {
            mutex lock{client_, name, quick(10s, where)};
            recursive_mutex again{client_, name, quick(10s, where)};
            std::uint64_t before = 0;
            {
                const std::optional<hold> held = lock.try_acquire();
                ASSERT_TRUE(held) << name;
                EXPECT_TRUE(probe_.exists(name)) << name;
                EXPECT_FALSE(again.try_acquire()) << name;
                EXPECT_EQ(held->name(), name);
                before = held->fence();
            }
            EXPECT_FALSE(probe_.exists(name)) << name;
            EXPECT_GT(lock.acquire().fence(), before) << name;
        }
    }
}

TEST_F(lock_settings, different_names_are_different_locks)
{
    std::vector<std::unique_ptr<mutex>> locks;
    std::vector<hold> holds;
    for (const char* name : {"a", "A", "a ", " a", "{a}", "{a}b", "a{b}", "{a", "a}", "}a{"}) {
        locks.push_back(std::make_unique<mutex>(client_, name, quick(10s)));
        holds.push_back(locks.back()->try_acquire().value());
    }
    // Each has its own fence: no two names share one.
    EXPECT_EQ(probe_.keys("pawl:fence:*").size(), locks.size());
}

}  // namespace
}  // namespace pawl::test
