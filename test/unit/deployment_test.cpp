#include "redis/deployment.h"

#include <pawl/error.h>

#include <gtest/gtest.h>

namespace pawl::redis {
namespace {

client_options with_url(const std::string& url)
{
    client_options options;
    options.url = url;
    return options;
}

deployment read(const std::string& url)
{
    return read_deployment(with_url(url));
}

std::string refusal(const client_options& options)
{
    try {
        static_cast<void>(read_deployment(options));
    } catch (const error& e) {
        EXPECT_EQ(e.code(), errc::bad_argument);
        return e.what();
    }
    return "accepted";
}

std::string refusal(const std::string& url)
{
    return refusal(with_url(url));
}

bool has(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

TEST(deployment, of_one_server_is_that_server)
{
    const auto got = read("redis://h:7000/3");
    EXPECT_EQ(got.what, deployment::kind::one_server);
    ASSERT_EQ(got.servers.size(), 1U);
    EXPECT_EQ(got.servers.front().database, 3);
    EXPECT_EQ(got.shown, "redis://h:7000/3");
}

TEST(deployment, sentinels_have_a_service_and_their_own_default_port)
{
    const auto got = read("redis+sentinel://ann:secret@a,b:7000,[::1]/main/2?name=me");
    EXPECT_EQ(got.what, deployment::kind::sentinel);
    ASSERT_EQ(got.servers.size(), 3U);
    EXPECT_EQ(got.servers[0].where.host, "a");
    EXPECT_EQ(got.servers[0].where.port, 26379);
    EXPECT_EQ(got.servers[1].where.port, 7000);
    EXPECT_EQ(got.servers[2].where.host, "::1");
    EXPECT_EQ(got.service, "main");
    EXPECT_EQ(got.found.database, 2);
    EXPECT_EQ(got.found.user, "ann");
    EXPECT_EQ(got.found.password, "secret");
    EXPECT_EQ(got.found.name, "me");
    EXPECT_EQ(got.shown, "redis+sentinel://a:26379,b:7000,[::1]:26379/main/2");
}

TEST(deployment, the_credentials_of_the_primary_are_not_sent_to_sentinels)
{
    const auto got = read("redis+sentinel://ann:secret@a/main?sentinel_user=bob");
    EXPECT_EQ(got.servers.front().user, "bob");
    EXPECT_EQ(got.servers.front().password, "");
    EXPECT_EQ(got.servers.front().database, 0);
    EXPECT_EQ(got.servers.front().speaks, server_config::mode::sentinel);
    auto options = with_url("redis+sentinel://a/main?sentinel_user=bob");
    options.sentinel.user = "eve";
    options.sentinel.password = "word";
    EXPECT_EQ(read_deployment(options).servers.front().user, "eve");
    EXPECT_EQ(read_deployment(options).servers.front().password, "word");
}

TEST(deployment, tls_is_for_sentinels_too_unless_they_have_none)
{
    EXPECT_TRUE(read("rediss+sentinel://a/main").servers.front().where.tls);
    EXPECT_TRUE(read("rediss+sentinel://a/main").found.where.tls);
    EXPECT_FALSE(read("rediss+sentinel://a/main?sentinel_tls=off").servers.front().where.tls);
    EXPECT_TRUE(read("redis+sentinel://a/main?sentinel_tls=on").servers.front().where.tls);
    auto options = with_url("redis+sentinel://a/main");
    options.sentinel.encrypted = true;
    EXPECT_TRUE(read_deployment(options).servers.front().where.tls);
    EXPECT_FALSE(read_deployment(options).found.where.tls);
}

TEST(deployment, a_url_has_all_tls_options_for_sentinels)
{
    const auto got = read(
        "rediss+sentinel://a/main?sentinel_ca_file=/ca&sentinel_cert_file=/cert&"
        "sentinel_key_file=/key&sentinel_server_name=s&sentinel_verify=off");
    const auto& sentinel = got.servers.front().tls;
    EXPECT_EQ(sentinel.ca_file, "/ca");
    EXPECT_EQ(sentinel.cert_file, "/cert");
    EXPECT_EQ(sentinel.key_file, "/key");
    EXPECT_EQ(sentinel.server_name, "s");
    EXPECT_FALSE(sentinel.verify);
    // They are not for the primary.
    EXPECT_EQ(got.found.tls.ca_file + got.found.tls.cert_file + got.found.tls.key_file, "");
    EXPECT_EQ(got.found.tls.server_name, "");
    EXPECT_TRUE(got.found.tls.verify);
    EXPECT_TRUE(read("rediss+sentinel://a/main?sentinel_verify=on").servers.front().tls.verify);
}

TEST(deployment, the_tls_options_of_the_primary_are_not_for_sentinels)
{
    const auto got = read("rediss+sentinel://a/main?ca_file=/ca&server_name=s&verify=off");
    EXPECT_EQ(got.found.tls.ca_file, "/ca");
    EXPECT_EQ(got.servers.front().tls.ca_file, "");
    EXPECT_EQ(got.servers.front().tls.server_name, "");
    EXPECT_TRUE(got.servers.front().tls.verify);
}

TEST(deployment, the_tls_options_for_sentinels_beside_a_url_override_it)
{
    auto options = with_url(
        "rediss+sentinel://a/main?sentinel_cert_file=/cert&sentinel_key_file=/key&"
        "sentinel_server_name=s&sentinel_verify=on");
    options.sentinel.tls.cert_file = "/other-cert";
    options.sentinel.tls.key_file = "/other-key";
    options.sentinel.tls.server_name = "t";
    options.sentinel.tls.verify = false;
    const auto got = read_deployment(options).servers.front().tls;
    EXPECT_EQ(got.cert_file, "/other-cert");
    EXPECT_EQ(got.key_file, "/other-key");
    EXPECT_EQ(got.server_name, "t");
    EXPECT_FALSE(got.verify);
}

TEST(deployment, bad_tls_options_for_sentinels_are_refused)
{
    EXPECT_TRUE(has(refusal("rediss+sentinel://a/main?sentinel_cert_file=/cert"),
                    "sentinel: tls: cert_file and key_file must be given together"));
    EXPECT_TRUE(has(refusal("rediss+sentinel://a/main?sentinel_verify=no"),
                    "sentinel_verify is 'no' (allowed: on, off)"));
    for (const auto* const each : {"sentinel_server_name=s", "sentinel_verify=off"}) {
        EXPECT_TRUE(has(refusal(std::string{"redis+sentinel://a/main?"} + each),
                        "sentinel: tls: options are given, but the connection to a sentinel is not "
                        "encrypted (allowed: with rediss+sentinel:// or sentinel_tls=on)"));
    }
    EXPECT_TRUE(has(refusal("rediss://a?sentinel_verify=off"), "unknown parameter"));
}

TEST(deployment, the_option_decides_about_tls_for_sentinels_rather_than_the_url)
{
    auto options = with_url("redis+sentinel://a/main?sentinel_tls=on");
    options.sentinel.encrypted = false;
    EXPECT_FALSE(read_deployment(options).servers.front().where.tls);
    options = with_url("rediss+sentinel://a/main?sentinel_tls=off");
    options.sentinel.encrypted = true;
    EXPECT_TRUE(read_deployment(options).servers.front().where.tls);
}

TEST(deployment, sentinels_without_a_service_are_refused)
{
    EXPECT_TRUE(has(refusal("redis+sentinel://a"), "no service"));
    EXPECT_TRUE(has(refusal("redis+sentinel://a/"), "no service"));
    EXPECT_TRUE(has(refusal("redis+sentinel://a,/main"), "no host"));
    EXPECT_TRUE(has(refusal("redis+sentinel://a/main/x"), "database 'x'"));
    EXPECT_TRUE(has(refusal("redis+sentinel://a,a:26379/main"), "named twice"));
}

TEST(deployment, options_for_sentinels_are_refused_where_there_are_none)
{
    client_options of_sentinels;
    of_sentinels.sentinel.user = "eve";
    client_options with_key;
    with_key.sentinel.tls.key_file = "/key";
    for (auto options : {of_sentinels, with_key}) {
        for (const auto* const url : {"redis://a", "memory:", "redis+cluster://a",
                                      "redlock:redis://a,redis://b,redis://c"}) {
            options.url = url;
            EXPECT_TRUE(has(refusal(options), "no sentinels")) << url << ": " << refusal(options);
        }
        options.url = client_options{}.url;
        options.nodes = {"redis://a", "redis://b", "redis://c"};
        EXPECT_TRUE(has(refusal(options), "no sentinels")) << refusal(options);
    }
}

TEST(deployment, a_cluster_has_nodes_and_no_database)
{
    const auto got = read("redis+cluster://:secret@a,b:7000");
    EXPECT_EQ(got.what, deployment::kind::cluster);
    ASSERT_EQ(got.servers.size(), 2U);
    EXPECT_EQ(got.servers[1].where.port, 7000);
    EXPECT_EQ(got.servers[1].password, "secret");
    EXPECT_EQ(got.found.password, "secret");
    EXPECT_EQ(got.found.speaks, server_config::mode::cluster);
    EXPECT_EQ(got.shown, "redis+cluster://a:6379,b:7000");
    EXPECT_TRUE(has(refusal("redis+cluster://a/1"), "has only one"));
    auto options = with_url("redis+cluster://a");
    options.database = 1;
    EXPECT_TRUE(has(refusal(options), "has only one"));
}

TEST(deployment, a_quorum_is_a_list_of_urls)
{
    const auto got = read("redlock:redis://a,rediss://:se,cret@b:1,unix:/c.sock");
    EXPECT_EQ(got.what, deployment::kind::quorum);
    ASSERT_EQ(got.servers.size(), 3U);
    EXPECT_EQ(got.servers[1].password, "se,cret");
    EXPECT_TRUE(got.servers[1].where.tls);
    EXPECT_EQ(got.servers[2].where.path, "/c.sock");
    EXPECT_EQ(got.shown, "redlock:redis://a:6379,rediss://b:1,unix:/c.sock");
    client_options options;
    options.nodes = {"redis://a", "redis://b", "redis://c"};
    EXPECT_EQ(read_deployment(options).servers.size(), 3U);
    options.url = "redis://d";
    EXPECT_TRUE(has(refusal(options), "beside nodes"));
}

TEST(deployment, a_quorum_has_three_five_or_seven_nodes)
{
    std::string url = "redlock:redis://a,redis://b,redis://c";
    EXPECT_EQ(read(url).servers.size(), 3U);
    url += ",redis://d,redis://e";
    EXPECT_EQ(read(url).servers.size(), 5U);
    url += ",redis://f,redis://g";
    EXPECT_EQ(read(url).servers.size(), 7U);
}

TEST(deployment, a_quorum_of_another_size_or_with_duplicates_is_refused)
{
    EXPECT_TRUE(has(refusal("redlock:redis://a"), "a quorum of 1 node "));
    EXPECT_TRUE(has(refusal("redlock:redis://a,redis://b"), "a quorum of 2 nodes"));
    EXPECT_TRUE(has(refusal("redlock:redis://a,redis://b"), "3, 5 or 7"));
    EXPECT_TRUE(has(refusal("redlock:redis://a,redis://b,redis://c,redis://d"), "a quorum of 4"));
    std::string nine = "redlock:redis://a";
    for (const char host : {'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'}) {
        nine += std::string{",redis://"} + host;
    }
    EXPECT_TRUE(has(refusal(nine), "a quorum of 9 nodes"));
    // Without schemes, or with blanks, it is one URL.
    for (const auto* const one :
         {"redlock:a:1,b:2,c:3", "redlock:redis://a, redis://b, redis://c"}) {
        EXPECT_TRUE(has(refusal(one), "a quorum of 1 node ")) << refusal(one);
        EXPECT_TRUE(has(refusal(one), "each with its scheme, with commas and without blanks"));
    }
    EXPECT_TRUE(has(refusal("redlock:redis://a,redis://b,redis://a:6379/1"), "named twice"));
    EXPECT_TRUE(has(refusal("redlock:redis://a,redis://b,local:"), "a quorum with local:"));
    EXPECT_TRUE(has(refusal("redlock:redis://a,redis://b,memory:x"), "a quorum with memory:"));
    EXPECT_TRUE(has(refusal("redlock:"), "a quorum of 1"));
}

TEST(deployment, a_server_of_a_quorum_that_is_written_in_two_ways_is_refused)
{
    const auto with = [](const std::string& one, const std::string& other) {
        return refusal("redlock:redis://" + one + ",redis://x,redis://" + other);
    };
    EXPECT_TRUE(has(with("a", "A:6379"),
                    "the server redis://a:6379 is named twice, also as "
                    "redis://A:6379"));
    EXPECT_TRUE(has(with("a.example.", "a.example"), "named twice"));
    EXPECT_TRUE(has(with("localhost", "127.0.0.1"), "named twice"));
    EXPECT_TRUE(has(with("[::1]:7", "[0:0:0:0:0:0:0:1]:7"), "named twice"));
    EXPECT_TRUE(has(with("[2001:DB8::A]", "[2001:db8:0::a]"), "named twice"));
    EXPECT_EQ(with("[::1]:7", "[::1]:8"), "accepted");
    EXPECT_EQ(with("127.0.0.1", "127.0.0.2"), "accepted");
}

TEST(deployment, a_node_of_a_quorum_is_one_server)
{
    for (const auto* const group : {"redis+sentinel://b,c/main", "rediss+sentinel://b/main",
                                    "redis+cluster://b", "rediss+cluster://b,c", "local:"}) {
        const auto told = refusal("redlock:redis://a," + std::string{group} + ",redis://d");
        const std::string_view text{group};
        EXPECT_TRUE(has(
            told, "node 2: URL: a quorum with " + std::string{text.substr(0, text.find(':') + 1)}))
            << told;
        EXPECT_TRUE(has(told, "allowed: redis://, rediss:// and unix:")) << told;
    }
    client_options options;
    options.nodes = {"redis://a", "redis://b", "redlock:redis://c"};
    EXPECT_TRUE(has(refusal(options), "node 3: URL: a quorum with redlock:"));
}

TEST(deployment, a_bad_url_of_a_node_is_named_by_its_number_and_no_password_is_shown)
{
    const auto told = refusal("redlock:redis://a,redis://:secret@b:99999,redis://c");
    EXPECT_TRUE(has(told, "node 2: URL: port '99999'")) << told;
    EXPECT_FALSE(has(told, "secret"));
}

TEST(acknowledged, is_a_number_of_replicas_or_a_majority)
{
    EXPECT_FALSE(read("redis://a").servers[0].acknowledged.is_on());
    EXPECT_EQ(read("redis://a?acknowledged=2").servers[0].acknowledged, acknowledgement{2});
    EXPECT_EQ(read("unix:/a?acknowledged=majority").servers[0].acknowledged,
              acknowledgement::majority());
    EXPECT_EQ(read("redis+sentinel://a/s?acknowledged=1").found.acknowledged, acknowledgement{1});
    EXPECT_EQ(read("redis+cluster://a?acknowledged=1").found.acknowledged, acknowledgement{1});
    for (const auto* const bad : {"0", "-1", "65", "x", "", "1x", "all"}) {
        EXPECT_TRUE(has(refusal(std::string{"redis://a?acknowledged="} + bad),
                        "acknowledged is '" + std::string{bad} + "' (allowed: 1 – 64, majority)"));
    }
}

TEST(acknowledged, is_set_by_the_option_rather_than_by_the_url)
{
    auto options = with_url("redis://a?acknowledged=1");
    options.acknowledged = 3;
    EXPECT_EQ(read_deployment(options).servers[0].acknowledged, acknowledgement{3});
    options.acknowledged = -1;
    EXPECT_TRUE(has(refusal(options), "acknowledged: -1 (allowed: 0 – 64, majority)"));
    options.acknowledged = 65;
    EXPECT_TRUE(has(refusal(options), "acknowledged: 65"));
}

TEST(acknowledged, is_refused_with_a_quorum)
{
    auto options = with_url("redlock:redis://a,redis://b,redis://c");
    options.acknowledged = 1;
    EXPECT_TRUE(has(refusal(options), "acknowledged: not with a quorum"));
    EXPECT_TRUE(
        has(refusal("redlock:redis://a?acknowledged=1,redis://b,redis://c"), "not with a quorum"));
}

}  // namespace
}  // namespace pawl::redis
