#include "redis/url.h"

#include <pawl/error.h>

#include <gtest/gtest.h>

namespace pawl::redis {
namespace {

server_config read(const std::string& url)
{
    client_options options;
    options.url = url;
    return read_config(options);
}

std::string refusal(const client_options& options)
{
    try {
        static_cast<void>(read_config(options));
    } catch (const error& e) {
        EXPECT_EQ(e.code(), errc::bad_argument);
        return e.what();
    }
    return "accepted";
}

std::string refusal(const std::string& url)
{
    client_options options;
    options.url = url;
    return refusal(options);
}

bool has(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

TEST(url, names_a_server)
{
    const auto config = read("redis://example.org:7000/3");
    EXPECT_EQ(config.where.what, address::kind::tcp);
    EXPECT_EQ(config.where.host, "example.org");
    EXPECT_EQ(config.where.port, 7000);
    EXPECT_EQ(config.database, 3);
    EXPECT_FALSE(config.where.tls);
    EXPECT_EQ(config.shown, "redis://example.org:7000/3");
}

TEST(url, is_shown_with_its_database)
{
    EXPECT_EQ(read("redis://:secret@h").shown, "redis://h:6379");
    EXPECT_EQ(read("redis://:secret@h/2").shown, "redis://h:6379/2");
    EXPECT_EQ(read("redis://h?db=2").shown, "redis://h:6379/2");
    EXPECT_EQ(read("unix:/a.sock?db=2").shown, "unix:/a.sock?db=2");
    EXPECT_EQ(read("local:?db=2").shown, "local:?db=2");
    client_options options;
    options.url = "redis://h/2";
    options.database = 5;
    EXPECT_EQ(read_config(options).shown, "redis://h:6379/5");
}

TEST(url, has_defaults)
{
    const auto config = read("redis://h");
    EXPECT_EQ(config.where.port, 6379);
    EXPECT_EQ(config.database, 0);
    EXPECT_EQ(config.name, "");
    EXPECT_TRUE(config.tls.verify);
    EXPECT_EQ(read("redis://h/").database, 0);
}

TEST(url, contains_user_and_password_and_never_shows_them)
{
    const auto config = read("rediss://ann:p%40ss%2Fw@h:1");
    EXPECT_EQ(config.user, "ann");
    EXPECT_EQ(config.password, "p@ss/w");
    EXPECT_TRUE(config.where.tls);
    EXPECT_EQ(config.shown, "rediss://h:1");
    EXPECT_EQ(read("redis://:secret@h").password, "secret");
    EXPECT_EQ(read("redis://:a@b@h").password, "a@b");
}

TEST(url, accepts_ipv6_addresses)
{
    const auto config = read("redis://[::1]:7000");
    EXPECT_EQ(config.where.host, "::1");
    EXPECT_EQ(config.where.port, 7000);
    EXPECT_EQ(config.shown, "redis://[::1]:7000");
}

TEST(url, names_a_unix_socket)
{
    EXPECT_EQ(read("unix:/run/redis.sock").where.path, "/run/redis.sock");
    EXPECT_EQ(read("unix:///run/redis.sock?db=4").database, 4);
    EXPECT_EQ(read("unix:/a%20b").where.path, "/a b");
    EXPECT_TRUE(has(refusal("unix:relative"), "'relative' (allowed: absolute"));
    EXPECT_TRUE(has(refusal("unix:/" + std::string(107, 'x')), "107 bytes"));
}

TEST(url, names_a_store_in_this_process)
{
    EXPECT_EQ(read("memory:").where.what, address::kind::memory);
    EXPECT_EQ(read("memory:").shown, "memory:");
    EXPECT_EQ(read("memory:a.b-c_1").where.name, "a.b-c_1");
    EXPECT_EQ(read("memory:a.b-c_1").shown, "memory:a.b-c_1");
    EXPECT_TRUE(has(refusal("memory:a b"), "memory: name 'a b' (allowed: at most 64 letters"));
    EXPECT_TRUE(has(refusal("memory:a?db=1"), "database: 1 (allowed with memory: 0"));
}

TEST(url, takes_parameters)
{
    const auto config = read(
        "rediss://h?ca_file=%2Fca.pem&cert_file=/c&key_file=/k&server_name=s"
        "&verify=off&name=me&password_env=PW&db=1");
    EXPECT_EQ(config.tls.ca_file, "/ca.pem");
    EXPECT_EQ(config.tls.cert_file, "/c");
    EXPECT_EQ(config.tls.key_file, "/k");
    EXPECT_EQ(config.tls.server_name, "s");
    EXPECT_FALSE(config.tls.verify);
    EXPECT_EQ(config.name, "me");
    EXPECT_EQ(config.password_env, "PW");
    EXPECT_EQ(config.database, 1);
}

TEST(url, has_lower_precedence_than_the_options)
{
    client_options options;
    options.url = "redis://ann:one@h/1";
    options.user = "bob";
    options.password_file = "/two";
    options.database = 2;
    const auto config = read_config(options);
    EXPECT_EQ(config.user, "bob");
    EXPECT_EQ(config.password, "");
    EXPECT_EQ(config.password_file, "/two");
    EXPECT_EQ(config.database, 2);
}

TEST(url, mistakes_are_reported_with_the_allowed_values)
{
    EXPECT_TRUE(has(refusal("http://h"), "scheme 'http' (allowed: redis://"));
    EXPECT_TRUE(has(refusal(""), "scheme '' (allowed:"));
    EXPECT_TRUE(has(refusal("redis://"), "no host"));
    EXPECT_TRUE(has(refusal("redis://h:0"), "port '0' (allowed: 1 – 65535)"));
    EXPECT_TRUE(has(refusal("redis://h:65536"), "65536"));
    EXPECT_TRUE(has(refusal("redis://h/x"), "database 'x'"));
    EXPECT_TRUE(has(refusal("redis://h/-1"), "database '-1'"));
    EXPECT_TRUE(has(refusal("redis://[::1"), "'[' without ']'"));
    EXPECT_TRUE(
        has(refusal("redis://h?colour=red"), "unknown parameter 'colour' (allowed: db, name"));
    EXPECT_TRUE(has(refusal("rediss://h?verify=maybe"), "'maybe' (allowed: on, off)"));
    EXPECT_TRUE(has(refusal("redis://h%4"), "hexadecimal"));
    EXPECT_TRUE(has(refusal("redis://h%00"), "NUL"));
    EXPECT_TRUE(has(refusal("local:x"), "scheme 'local'"));
    EXPECT_TRUE(has(refusal("redis://h?verify=off"), "not encrypted"));
    EXPECT_TRUE(has(refusal("rediss://h?cert_file=/c"), "must be given together"));
    EXPECT_TRUE(has(refusal("redis://:a@h?password_env=X"), "more than once"));
    EXPECT_TRUE(has(refusal("redis://h?name=a%20b"), "'a b' (allowed: printable"));
}

TEST(url, a_password_is_in_no_message_about_a_wrong_url)
{
    for (const std::string url :
         {"redis://ann:s3cret", "redis://ann:s3cret@", "redis://ann:s3/cret@h",
          "redis://ann:s3cret@h:x", "redis://ann:s3?cret@h", "http://ann:s3cret@h",
          "redis://ann:s3cret@h/x", "redis://:s3cret%@h", "redis:ann:s3cret@h",
          "redis://ann:s3cret@[::1", "ann:s3cret@h", "redis://ann:s3cret@h?nonsense=1",
          "redis://ann:s3cret@h?password_env=X"}) {
        const auto said = refusal(url);
        EXPECT_NE(said, "accepted") << url;
        EXPECT_FALSE(has(said, "s3")) << said;
        EXPECT_FALSE(has(said, "cret")) << said;
    }
}

}  // namespace
}  // namespace pawl::redis
