// Tests of the helpers that the other tests use.
#include "support/eventually.h"
#include "support/fault_proxy.h"
#include "support/process.h"
#include "support/redis_probe.h"
#include "support/redis_server.h"
#include "support/request_monitor.h"
#include "support/resp_stream.h"
#include "support/self_counts.h"
#include "support/shared_file.h"
#include "support/subscriber.h"
#include "support/tls_files.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <unistd.h>

namespace pawl::test {
namespace {

using namespace std::chrono_literals;

TEST(a_temp_dir, is_deleted_with_its_contents)
{
    std::filesystem::path path;
    {
        const temp_dir dir;
        path = dir.path();
        write_file(dir.file("a"), "text");
        EXPECT_EQ(read_file(dir.file("a")), "text");
    }
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(thread_count, does_not_count_a_thread_that_was_joined)
{
    const std::size_t threads = thread_count();
    for (int i = 0; i < 2'000; ++i) {
        std::thread{[] {}}.join();
        ASSERT_EQ(thread_count(), threads) << "after " << i;
    }
}

TEST(a_process, can_be_read_written_and_waited_for)
{
    process child{{"sh", "-c", "read line; echo got $line; echo trouble >&2; exit 7"}};
    EXPECT_EQ(child.wait(50ms), std::nullopt);
    child.write("this\n");
    EXPECT_EQ(child.line_after("got "), "this");
    EXPECT_EQ(child.wait(patience), exited(7));
    EXPECT_EQ(child.err(), "trouble\n");
}

TEST(a_process, can_be_a_function)
{
    process child = process::forked([] { return 5; });
    EXPECT_EQ(child.wait(patience), exited(5));
}

TEST(a_process, is_killed_when_its_object_is_destroyed)
{
    pid_t pid = 0;
    {
        const process child{{"sleep", "60"}};
        pid = child.pid();
        EXPECT_EQ(::kill(pid, 0), 0);
    }
    EXPECT_EQ(::kill(pid, 0), -1);
}

TEST(the_counts_of_this_process, include_one_more_thread_and_descriptor)
{
    const std::size_t threads = thread_count();
    const std::size_t descriptors = descriptor_count();
    std::jthread waiting{[](std::stop_token stop) {
        while (!stop.stop_requested()) std::this_thread::yield();
    }};
    const int copy = ::dup(0);
    EXPECT_EQ(thread_count(), threads + 1);
    EXPECT_EQ(descriptor_count(), descriptors + 1);
    ::close(copy);
}

TEST(a_resp_stream, is_split_into_whole_values)
{
    EXPECT_EQ(first_value("+OK\r\n+OK\r\n"), 5);
    EXPECT_EQ(first_value("$3\r\na\r\n"), std::nullopt);
    EXPECT_EQ(first_value("$3\r\na\r\n\r\n:1\r\n"), 9);
    EXPECT_EQ(first_value("*2\r\n$1\r\na\r\n*1\r\n:5\r\n-x\r\n"), 19);
    EXPECT_EQ(first_value("%1\r\n+a\r\n_\r\n"), 11);
    EXPECT_EQ(first_value("*2\r\n:1\r\n"), std::nullopt);
    EXPECT_EQ(first_value("$-1\r\n"), 5);
    EXPECT_THROW((void)first_value("hello\r\n"), std::runtime_error);
    EXPECT_EQ(request_words("*2\r\n$3\r\nGET\r\n$4\r\na\r\nb\r\n"), (request{"GET", "a\r\nb"}));
}

TEST(a_redis_server, answers_on_both_of_its_addresses)
{
    const redis_server server;
    EXPECT_EQ(server.probe().must({"PING"}).text, "PONG");
    EXPECT_EQ(redis_probe::tcp(server.port()).must({"PING"}).text, "PONG");
}

TEST(a_redis_server, accepts_further_settings)
{
    const redis_server server{{.config = {"requirepass sesame"}}};
    redis_probe probe = server.probe();
    EXPECT_TRUE(probe.command({"PING"}).is_error());
    probe.must({"AUTH", "sesame"});
    EXPECT_EQ(probe.must({"PING"}).text, "PONG");
}

TEST(a_redis_server, with_a_bad_setting_fails_with_the_reason)
{
    try {
        const redis_server server{{.config = {"no-such-setting 1"}}};
        FAIL();
    } catch (const std::exception& problem) {
        EXPECT_NE(std::string{problem.what()}.find("no-such-setting"), std::string::npos);
    }
}

TEST(a_redis_server, that_cannot_be_executed_is_named)
{
    process child = process::forked([] {
        ::setenv("PAWL_TEST_REDIS_SERVER", "/no/such/server", 1);
        try {
            const redis_server server;
        } catch (const std::runtime_error& failure) {
            const std::string_view told = failure.what();
            const bool named = told.starts_with("PAWL_TEST_REDIS_SERVER ") &&
                               told.find("/no/such/server: No such file") != std::string_view::npos;
            return named ? 0 : 1;
        }
        return 2;
    });
    EXPECT_EQ(child.wait(patience), exited(0));
}

TEST(a_redis_server, restarts_at_the_same_address_without_its_data)
{
    redis_server server;
    server.probe().must({"SET", "a", "1"});
    const std::string url = server.url();
    server.restart();
    EXPECT_EQ(server.url(), url);
    EXPECT_FALSE(server.probe().exists("a"));
}

TEST(a_redis_server, can_be_frozen_again_and_again)
{
    redis_server server;
    for (int round = 0; round < 3; ++round) {
        server.freeze();
        redis_probe probe = server.probe();  // the kernel still accepts connections
        std::optional<bool> answered;
        std::jthread asking{[&] { answered = probe.must({"PING"}).text == "PONG"; }};
        EXPECT_TRUE(always(30ms, [&] {
            return read_file("/proc/" + std::to_string(server.pid()) + "/stat").find(") T ") !=
                   std::string::npos;
        }));
        server.thaw();
        asking.join();
        EXPECT_EQ(answered, true);
    }
    server.freeze();  // it is stopped while frozen
}

TEST(a_redis_server, that_was_killed_does_not_answer)
{
    redis_server server;
    server.kill();
    EXPECT_THROW((void)server.probe(), std::runtime_error);
    server.restart();
    EXPECT_EQ(server.probe().must({"PING"}).text, "PONG");
}

TEST(a_probe, reads_values_of_every_type)
{
    const redis_server server;
    redis_probe probe = server.probe();
    const std::string binary{"a\0\r\n\xff", 5};
    probe.must({"SET", binary, binary, "PX", "60000"});
    EXPECT_EQ(probe.get(binary), binary);
    EXPECT_EQ(probe.keys("*"), std::vector<std::string>{binary});
    EXPECT_GT(probe.ttl(binary), 50s);
    EXPECT_TRUE(probe.must({"GET", "nothing"}).is_nil());
    EXPECT_TRUE(probe.command({"NOSUCH"}).is_error());
    EXPECT_EQ(probe.must({"INCR", "n"}).integer, 1);
}

TEST(a_probe, counts_commands_and_connections)
{
    const redis_server server;
    redis_probe probe = server.probe();
    probe.reset_stats();
    EXPECT_EQ(probe.calls("get"), 0);
    (void)probe.get("a");
    (void)probe.get("a");
    EXPECT_EQ(probe.calls("GET"), 2);
    EXPECT_TRUE(eventually([&] { return probe.client_list().empty(); }));
    const redis_probe second = server.probe();
    EXPECT_EQ(probe.client_list().size(), 1);
}

TEST(tls_files, work_for_a_server_that_a_client_verifies)
{
    const tls_files files;
    const redis_server server{{.config = {}, .tls = &files, .tls_client_certificate = true}};
    const std::string port = server.tls_url().substr(server.tls_url().rfind(':') + 1);
    const auto ping = [&](const std::string& ca) {
        process cli{{"redis-cli", "-p", port, "--tls", "--cacert", ca, "--cert",
                     files.client_cert(), "--key", files.client_key(), "PING"}};
        (void)cli.wait(patience);
        return cli.out();
    };
    EXPECT_EQ(ping(files.ca()), "PONG\n");
    EXPECT_NE(ping(files.other_ca()), "PONG\n");
}

TEST(a_request_monitor, records_requests_in_order_but_not_the_calls_of_scripts)
{
    const redis_server server;
    redis_probe probe = server.probe();
    std::vector<request> seen;
    request_monitor monitor{server.socket_path(),
                            [&](const request& words) { seen.push_back(words); }};
    const std::string odd = "\"quo\\te\" \n\x01\xff ] \"";
    probe.must({"SET", odd, ""});
    probe.must({"EVAL", "return redis.call('GET', KEYS[1])", "1", "key"});
    probe.must({"PING"});
    monitor.catch_up(probe);
    EXPECT_EQ(seen, (std::vector<request>{{"SET", odd, ""},
                                          {"EVAL", "return redis.call('GET', KEYS[1])", "1", "key"},
                                          {"PING"}}));
}

TEST(a_subscriber, receives_published_messages)
{
    const redis_server server;
    redis_probe probe = server.probe();
    subscriber listener{server.socket_path(), "a channel"};
    EXPECT_EQ(probe.subscribed_connections().size(), 1U);
    EXPECT_EQ(listener.next(20ms), std::nullopt);
    probe.must({"PUBLISH", "a channel", "one"});
    probe.must({"PUBLISH", "another", "two"});
    probe.must({"PUBLISH", "a channel", "three\r\n"});
    EXPECT_EQ(listener.next(), "one");
    EXPECT_EQ(listener.next(), "three\r\n");
}

TEST(a_file_token, belongs_to_one_process_and_can_be_taken_from_a_dead_one)
{
    const temp_dir dir;
    const shared_file<std::atomic<int>> shared{dir.file("shared")};
    process owner = process::forked([&] {
        const file_token token{dir.file("token")};
        token.take();
        *shared = 7;
        ::pause();
        return 0;
    });
    const file_token token{dir.file("token")};
    ASSERT_TRUE(eventually([&] { return *shared == 7; }));
    EXPECT_FALSE(token.try_take());
    owner.signal(SIGKILL);
    ASSERT_EQ(owner.wait(patience), killed_by(SIGKILL));
    EXPECT_TRUE(token.try_take());
}

}  // namespace
}  // namespace pawl::test
