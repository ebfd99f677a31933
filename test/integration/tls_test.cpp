// rediss://: the server's certificate is verified unless the caller turns that off.
#include "integration/fixture.h"
#include "support/tls_files.h"

namespace pawl::test {
namespace {

class tls : public testing::Test {
protected:
    client_options options(const redis_server& server)
    {
        client_options made;
        made.url = server.tls_url();
        made.command_limit = 1s;
        events_.attach(made);
        return made;
    }

    static outcome ping_with(const client_options& made)
    {
        return outcome_of([&] { client{made}.ping(); });
    }

    event_log events_;
    tls_files files_;
    redis_server server_{{.config = {}, .tls = &files_}};
};

TEST_F(tls, with_the_right_authority_holds_and_renews)
{
    client_options made = options(server_);
    made.tls.ca_file = files_.ca();
    client own{made};
    mutex lock{own, "job", quick(2400ms)};
    hold held = lock.acquire();
    EXPECT_TRUE(always(2s, [&] { return held.state() == hold_state::held; }));
    EXPECT_EQ(server_.probe().get("job"), held.id());
    held.release();
    EXPECT_FALSE(server_.probe().exists("job"));
}

TEST_F(tls, uses_the_ca_file_of_the_url)
{
    client_options made = options(server_);
    made.url += "?ca_file=" + files_.ca();
    EXPECT_EQ(ping_with(made).message, "");
}

TEST_F(tls, with_the_wrong_authority_is_refused)
{
    client_options made = options(server_);
    made.tls.ca_file = files_.other_ca();
    const outcome told = ping_with(made);
    EXPECT_EQ(told.code, errc::refused);
    EXPECT_TRUE(says(told.message, "certificate"));
}

TEST_F(tls, without_any_authority_is_refused)
{
    EXPECT_EQ(ping_with(options(server_)).code, errc::refused);
}

TEST_F(tls, without_verification_accepts_any_certificate)
{
    client_options made = options(server_);
    made.tls.verify = false;
    EXPECT_EQ(ping_with(made).message, "");
    client_options by_url = options(server_);
    by_url.url += "?verify=off";
    EXPECT_EQ(ping_with(by_url).message, "");
}

TEST_F(tls, checks_the_name_of_the_server)
{
    client_options made = options(server_);
    made.tls.ca_file = files_.ca();
    made.tls.server_name = "localhost";
    EXPECT_EQ(ping_with(made).message, "");
    made.tls.server_name = "elsewhere.example";
    EXPECT_EQ(ping_with(made).code, errc::refused);
}

TEST_F(tls, verifies_a_host_given_by_name)
{
    client_options made = options(server_);
    made.tls.ca_file = files_.ca();
    made.url.replace(made.url.find("127.0.0.1"), 9, "localhost");
    EXPECT_EQ(ping_with(made).message, "");
}

TEST_F(tls, sends_a_client_certificate_to_a_server_that_asks)
{
    redis_server strict{{.config = {}, .tls = &files_, .tls_client_certificate = true}};
    client_options made = options(strict);
    made.tls.ca_file = files_.ca();
    const outcome told = ping_with(made);
    EXPECT_EQ(told.code, errc::refused) << told.message;
    made.tls.cert_file = files_.client_cert();
    made.tls.key_file = files_.client_key();
    EXPECT_EQ(ping_with(made).message, "");
}

TEST_F(tls, files_that_do_not_exist_are_named_in_the_error)
{
    client_options made = options(server_);
    made.tls.ca_file = "/nowhere/ca.pem";
    const outcome told = ping_with(made);
    EXPECT_EQ(told.code, errc::bad_argument);
    EXPECT_TRUE(says(told.message, "/nowhere/ca.pem"));
}

TEST_F(tls, to_a_plain_port_fails_within_the_limit)
{
    client_options made = options(server_);
    made.tls.ca_file = files_.ca();
    made.url = "rediss://127.0.0.1:" + std::to_string(server_.port());
    outcome told;
    EXPECT_LT(time_of([&] { told = ping_with(made); }), 1s + slack);
    EXPECT_TRUE(told.code == errc::refused || told.code == errc::unreachable) << told.message;
}

TEST_F(tls, missing_for_a_tls_port_fails_within_the_limit)
{
    client_options made = options(server_);
    made.url = "redis" + server_.tls_url().substr(6);
    outcome told;
    EXPECT_LT(time_of([&] { told = ping_with(made); }), 1s + slack);
    EXPECT_TRUE(told.code == errc::refused || told.code == errc::unreachable) << told.message;
}

TEST_F(tls, to_a_frozen_server_fails_within_the_limit)
{
    client_options made = options(server_);
    made.tls.ca_file = files_.ca();
    server_.freeze();
    outcome told;
    EXPECT_LT(time_of([&] { told = ping_with(made); }), 1s + 1s + slack);
    EXPECT_EQ(told.code, errc::unreachable);
}

}  // namespace
}  // namespace pawl::test
