// How the primary of a service is found, and what users are told if it is not.
#include "integration/contended.h"
#include "support/acl_rule.h"
#include "support/sentinel_group.h"
#include "support/tls_files.h"

#include <pawl/futures.h>

#include <cstddef>
#include <string>
#include <system_error>
#include <vector>

namespace pawl::test {
namespace {

constexpr std::chrono::milliseconds longer_than_a_failover{15'000};

client_options options_for(const sentinel_group& group)
{
    client_options made;
    made.url = group.url();
    made.command_limit = longer_than_a_failover;
    return made;
}

TEST(sentinel, names_the_primary)
{
    const sentinel_group group;
    client own{options_for(group)};
    mutex lock{own, "job", quick(10s)};
    const hold held = lock.acquire();
    EXPECT_EQ(group.probe(group.primary()).get("job"), held.id());
    own.ping();
}

TEST(sentinel, that_is_down_is_not_needed)
{
    sentinel_group group;
    group.sentinel(0).kill();
    group.sentinel(2).kill();
    client own{options_for(group)};
    mutex lock{own, "job", quick(10s)};
    lock.acquire().release();
    group.sentinel(1).kill();
    lock.acquire().release();
}

TEST(sentinel, of_three_has_a_subscriber_each)
{
    sentinel_group group;
    client own{options_for(group)};
    own.ping();
    const auto listens_at = [&](std::size_t index) {
        return group.sentinel_probe(index).subscribed_connections().size() == 1;
    };
    for (std::size_t i = 0; i < group.sentinels(); ++i) {
        EXPECT_TRUE(eventually([&] { return listens_at(i); })) << "sentinel " << i;
    }
    // A sentinel that comes back is listened to again.
    group.sentinel(1).kill();
    group.sentinel(1).start_again();
    EXPECT_TRUE(eventually([&] { return listens_at(1); }));
}

TEST(sentinel, of_another_service_is_refused)
{
    const sentinel_group group{{.replicas = 0, .sentinels = 2, .quorum = 1}};
    client_options made = options_for(group);
    made.url.replace(made.url.rfind('/'), std::string::npos, "/other");
    client own{made};
    mutex lock{own, "job", quick(10s)};
    const auto blocking = outcome_of([&] { (void)lock.acquire(); });
    EXPECT_EQ(blocking.code, errc::refused);
    EXPECT_TRUE(says(blocking.message, "the sentinels know no service 'other'"));
    EXPECT_TRUE(says(blocking.message, "check the name of the service in the URL"));
    const auto later = outcome_of([&] { (void)futures::acquire(lock).get(); });
    EXPECT_EQ(later.message, blocking.message);
}

TEST(sentinel, that_cannot_be_reached_is_reported_at_once_to_a_try)
{
    client_options made;
    made.url = "redis+sentinel://127.0.0.1:1,127.0.0.1:2/job";
    made.command_limit = 60s;
    client own{made};
    mutex lock{own, "job", quick(10s)};
    outcome told;
    EXPECT_LT(time_of([&] { told = outcome_of([&] { (void)lock.try_acquire(); }); }), 10s);
    EXPECT_EQ(told.code, errc::unreachable);
    EXPECT_TRUE(says(told.message, "no sentinel answered"));
    EXPECT_TRUE(says(told.message, "sentinel 127.0.0.1:1"));
}

TEST(sentinel, that_is_a_server_is_refused)
{
    const redis_server plain;
    client_options made;
    made.url = "redis+sentinel://127.0.0.1:" + std::to_string(plain.port()) + "/job";
    client own{made};
    mutex lock{own, "job", quick(10s)};
    const auto told = outcome_of([&] { (void)lock.acquire(); });
    EXPECT_EQ(told.code, errc::refused);
    EXPECT_TRUE(says(told.message, "not a Sentinel"));
}

TEST(sentinel, has_its_own_user_and_password)
{
    const sentinel_group group{{.replicas = 0,
                                .sentinels = 2,
                                .quorum = 1,
                                .password = "of-servers",
                                .sentinel_password = "of-sentinels"}};
    client_options made = options_for(group);
    made.password = "of-servers";
    const auto acquire = [&] {
        client own{made};
        mutex lock{own, "job", quick(10s)};
        lock.acquire().release();
    };
    const auto without = outcome_of(acquire);
    EXPECT_EQ(without.code, errc::refused);
    EXPECT_TRUE(says(without.message, "NOAUTH"));
    EXPECT_TRUE(says(without.message, "sentinel 127.0.0.1:"));
    made.sentinel.password = "of-servers";
    const auto wrong = outcome_of(acquire);
    EXPECT_EQ(wrong.code, errc::refused);
    EXPECT_TRUE(says(wrong.message, "WRONGPASS"));
    made.sentinel.password = "of-sentinels";
    EXPECT_EQ(outcome_of(acquire).message, "");
    made.password = "wrong";
    const auto at_primary = outcome_of(acquire);
    EXPECT_EQ(at_primary.code, errc::refused);
    EXPECT_TRUE(says(at_primary.message, "primary 127.0.0.1:"));
}

// A sentinel without replicas to watch, and a client of its user `ann`.
class sentinel_rights : public testing::Test {
protected:
    [[nodiscard]] client_options as_ann(const std::vector<std::string>& rule)
    {
        std::vector<std::string> words{"ACL", "SETUSER", "ann", "reset", "on", ">secret"};
        words.insert(words.end(), rule.begin(), rule.end());
        const redis_value reply = sentinel_.command(words);
        EXPECT_FALSE(reply.is_error()) << reply.text;
        client_options made = options_for(group_);
        made.sentinel.user = "ann";
        made.sentinel.password = "secret";
        return made;
    }

    // Commands and channels.
    [[nodiscard]] std::vector<std::string> denials()
    {
        std::vector<std::string> all;
        for (const auto& each : sentinel_.must({"ACL", "LOG"}).items) {
            all.push_back(each.items.at(7).text);
        }
        return all;
    }

    [[nodiscard]] bool is_listened_to() { return sentinel_.subscribed_connections().size() == 1; }

    sentinel_group group_{
        {.replicas = 0, .sentinels = 1, .quorum = 1, .sentinel_password = "of-sentinels"}};
    redis_probe sentinel_ = group_.sentinel_probe(0);
};

TEST_F(sentinel_rights, of_the_smallest_rule_are_enough)
{
    client own{as_ann(sentinel_rule())};
    mutex lock{own, "job", quick(10s)};
    lock.acquire().release();
    EXPECT_TRUE(eventually([&] { return is_listened_to(); }));
    EXPECT_EQ(denials(), std::vector<std::string>{});
}

TEST_F(sentinel_rights, of_the_smallest_rule_are_all_needed)
{
    const auto rule = sentinel_rule();
    for (std::size_t i = 0; i < rule.size(); ++i) {
        if (!contains("+&", rule[i].substr(0, 1))) continue;
        auto less = rule;
        less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
        sentinel_.must({"ACL", "LOG", "RESET"});
        client own{as_ann(less)};
        std::error_code ignored;
        (void)mutex(own, "job", quick(10s)).try_acquire(ignored);
        EXPECT_TRUE(eventually([&] { return !denials().empty(); })) << rule[i] << " is not needed";
    }
}

TEST_F(sentinel_rights, without_that_to_ask_the_error_says_so)
{
    auto rule = sentinel_rule();
    std::erase(rule, "+sentinel|get-master-addr-by-name");
    client own{as_ann(rule)};
    mutex lock{own, "job", quick(10s)};
    const auto told = outcome_of([&] { (void)lock.acquire(); });
    EXPECT_EQ(told.code, errc::refused);
    EXPECT_TRUE(says(told.message, "NOPERM"));
}

// A primary and a sentinel with TLS ports. The sentinel names the TLS port of the primary.
class sentinel_tls : public testing::Test {
protected:
    static std::string port_in(const std::string& url) { return url.substr(url.rfind(':') + 1); }

    [[nodiscard]] outcome ping(const std::string& url, bool right_authority = true) const
    {
        client_options made;
        made.url = url;
        made.tls.ca_file = files_.ca();
        made.sentinel.tls.ca_file = right_authority ? files_.ca() : files_.other_ca();
        return outcome_of([&] { client{made}.ping(); });
    }

    tls_files files_;
    redis_server primary_{{.tls = &files_}};
    redis_server sentinel_{
        {.sentinel = true,
         .config = {"sentinel monitor job 127.0.0.1 " + port_in(primary_.tls_url()) + " 1"},
         .tls = &files_}};
    std::string encrypted_ = "127.0.0.1:" + port_in(sentinel_.tls_url()) + "/job";
    std::string plain_ = "127.0.0.1:" + std::to_string(sentinel_.port()) + "/job";
};

TEST_F(sentinel_tls, is_used_for_sentinels_and_the_primary)
{
    EXPECT_EQ(ping("rediss+sentinel://" + encrypted_).message, "");
}

TEST_F(sentinel_tls, may_be_used_for_the_primary_only)
{
    client_options made;
    made.url = "rediss+sentinel://" + plain_ + "?sentinel_tls=off";
    made.tls.ca_file = files_.ca();
    EXPECT_EQ(outcome_of([&] { client{made}.ping(); }).message, "");
}

TEST_F(sentinel_tls, verifies_the_certificates_of_sentinels)
{
    const auto told = ping("rediss+sentinel://" + encrypted_, false);
    EXPECT_EQ(told.code, errc::refused);
    EXPECT_TRUE(says(told.message, "certificate"));
    EXPECT_TRUE(says(told.message, "sentinel 127.0.0.1:"));
}

TEST_F(sentinel_tls, with_a_file_that_is_no_certificate_is_refused_at_once)
{
    client_options made;
    made.url = "rediss+sentinel://" + plain_ + "?sentinel_tls=off";
    made.tls.ca_file = "/no/such/file";
    EXPECT_EQ(outcome_of([&] { const client own{made}; }).code, errc::bad_argument);
}

}  // namespace
}  // namespace pawl::test
