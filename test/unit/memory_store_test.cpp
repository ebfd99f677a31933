// Memory servers work like a real server, and are shared by name.
#include "unit/memory_fixture.h"

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace pawl::test {
namespace {

std::string refusal(const client_options& options)
{
    try {
        const client made{options};
        return "accepted";
    } catch (const error& problem) {
        EXPECT_EQ(problem.code(), errc::bad_argument);
        return problem.what();
    }
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

bool is_free(client& of, std::string_view name)
{
    return mutex{of, name}.try_acquire().has_value();
}

TEST(memory_urls, name_a_store_or_a_private_one)
{
    EXPECT_EQ(client{"memory:"}.server(), "memory:");
    EXPECT_EQ(client{"memory:Stock_1.a-b"}.server(), "memory:Stock_1.a-b");
    EXPECT_EQ(client{"memory:" + std::string(64, 'x')}.server().size(), 71U);
}

TEST(memory_urls, that_are_wrong_are_refused_with_the_allowed_values)
{
    for (const std::string name : {"a b", "a/b", "//a", "a:b", "a%20b", "ü", "a@b"}) {
        EXPECT_TRUE(has(refusal("memory:" + name), "allowed: at most 64 letters, digits"))
            << refusal("memory:" + name);
    }
    EXPECT_TRUE(has(refusal("memory:" + std::string(65, 'x')), "at most 64"));
    EXPECT_TRUE(has(refusal("memory"), "memory:[NAME]"));
    EXPECT_TRUE(has(refusal("memory:a?colour=red"), "unknown parameter 'colour'"));
    EXPECT_TRUE(has(refusal("memory:a?db=1"), "database: 1 (allowed with memory: 0"));
    EXPECT_TRUE(has(refusal("memory:?verify=off"), "memory: is not encrypted"));
}

TEST(memory_urls, accept_the_options_of_the_program_under_test)
{
    client_options options;
    options.url = "memory:?db=0&name=me";
    options.user = "ann";
    options.password_file = "/nonexistent";
    EXPECT_EQ(refusal(options), "accepted");
    client made{options};
    made.ping();
}

TEST(memory_stores, without_a_name_are_private_to_their_client)
{
    client one{"memory:"};
    client other{"memory:"};
    mutex mine{one, "job"};
    const auto held = mine.acquire();
    EXPECT_TRUE(is_free(other, "job"));
    EXPECT_FALSE(is_free(one, "job"));
}

TEST(memory_stores, of_one_name_are_the_same)
{
    client one{"memory:shared"};
    client other{"memory:shared"};
    client stranger{"memory:another"};
    mutex mine{one, "job"};
    const auto held = mine.acquire();
    EXPECT_FALSE(is_free(other, "job"));
    EXPECT_TRUE(is_free(stranger, "job"));
}

TEST(memory_stores, exist_as_long_as_they_are_referred_to)
{
    const auto left_by_a_client = [] {
        client made{"memory:short-lived"};
        return stateless::try_lock(made, "job", "me", 1h).has_value();
    };
    EXPECT_TRUE(left_by_a_client());
    EXPECT_TRUE(left_by_a_client()) << "there was no reference to it";
    const pawl::testing::memory_server kept{"short-lived"};
    EXPECT_TRUE(left_by_a_client());
    EXPECT_FALSE(left_by_a_client());
    EXPECT_EQ(kept.holder("job"), "me");
}

class memory_store : public with_memory {};

TEST_F(memory_store, answers_a_ping)
{
    client_.ping();
    EXPECT_EQ(client_.server(), server_.url());
}

TEST_F(memory_store, works_with_lock_guards)
{
    {
        const std::scoped_lock guard{mutex_};
        EXPECT_TRUE(server_.is_locked("job"));
        EXPECT_EQ(server_.holder("job"), mutex_.current()->id());
        EXPECT_EQ(code_of([&] { mutex_.lock(); }), errc::would_deadlock);
    }
    EXPECT_FALSE(server_.is_locked("job"));
}

TEST_F(memory_store, gives_a_lock_to_one_at_a_time)
{
    constexpr int threads = 4;
    constexpr int rounds = 50;
    int counter = 0;  // guarded by the lock only
    std::vector<std::uint64_t> fences;
    {
        std::vector<std::jthread> all;
        for (int t = 0; t < threads; ++t) {
            all.emplace_back([&] {
                client own{server_.url()};
                mutex lock{own, "job", {.wait = poll{1ms}}};
                for (int i = 0; i < rounds; ++i) {
                    const std::scoped_lock guard{lock};
                    ++counter;
                    fences.push_back(lock.current()->fence());
                }
            });
        }
    }
    EXPECT_EQ(counter, threads * rounds);
    EXPECT_TRUE(std::is_sorted(fences.begin(), fences.end()));
    EXPECT_EQ(std::set(fences.begin(), fences.end()).size(), fences.size());
}

TEST_F(memory_store, counts_the_holds_of_a_recursive_mutex)
{
    recursive_mutex lock{client_, "nested"};
    lock.lock();
    lock.lock();
    lock.unlock();
    EXPECT_TRUE(server_.is_locked("nested"));
    EXPECT_EQ(server_.holder("nested"), lock.current()->id());
    std::jthread{[&] { EXPECT_FALSE(lock.try_lock()); }}.join();
    lock.unlock();
    EXPECT_FALSE(server_.is_locked("nested"));
}

TEST_F(memory_store, supports_stateless_locks)
{
    const auto fence = stateless::try_lock(client_, "cart", "request-1", 10s);
    ASSERT_TRUE(fence);
    EXPECT_FALSE(stateless::try_lock(client_, "cart", "request-2", 10s));
    EXPECT_FALSE(stateless::unlock(client_, "cart", "request-2"));
    EXPECT_TRUE(stateless::unlock(client_, "cart", "request-1"));
    EXPECT_GT(stateless::try_lock(client_, "cart", "request-2", 10s), fence);
}

TEST_F(memory_store, lets_a_caller_wait)
{
    auto held = mutex_.acquire();
    mutex other{client_, "job", {.wait = poll{1ms}}};
    std::error_code told;
    EXPECT_FALSE(other.try_acquire_for(5ms, told));
    EXPECT_EQ(told, errc::timed_out);

    std::stop_source stop;
    std::jthread canceller{[&] { stop.request_stop(); }};
    EXPECT_FALSE(other.try_acquire_for(1h, stop.get_token(), told));
    EXPECT_EQ(told, errc::cancelled);

    std::jthread releaser{[&] { held.release(); }};
    EXPECT_TRUE(other.acquire());
}

TEST_F(memory_store, extends_confirms_and_lists)
{
    mutex fixed{client_, "fixed", {.lease = 10s, .renew = false}};
    auto held = fixed.acquire();
    EXPECT_TRUE(held.confirm());
    held.extend(1h);
    EXPECT_GT(held.valid_for(), 50min);
    ASSERT_EQ(client_.holds().size(), 1U);
    EXPECT_EQ(client_.holds().front().id, held.id());
}

TEST_F(memory_store, reports_events)
{
    auto held = mutex_.acquire();
    held.release();
    EXPECT_EQ(events_.first(hold_state::released).lock, "job");
}

TEST_F(memory_store, reports_a_key_that_is_not_a_lock)
{
    recursive_mutex nested{client_, "job"};
    const auto held = mutex_.acquire();
    EXPECT_EQ(code_of([&] { (void)nested.try_acquire(); }), errc::not_a_lock);
}

TEST_F(memory_store, may_be_destroyed_before_or_after_its_clients)
{
    for (const bool server_first : {true, false}) {
        std::optional<pawl::testing::memory_server> server{std::in_place};
        std::optional<client> user{std::in_place, server->url()};
        std::optional<mutex> lock{std::in_place, *user, "job"};
        std::optional<hold> held = lock->acquire();
        if (server_first) server.reset();
        EXPECT_TRUE(held->confirm());
        if (!server_first) user.reset();
        held.reset();
        lock.reset();
        user.reset();
        if (!server_first) {
            EXPECT_TRUE(server->is_locked("job"))
                << "the end of a client does not release the lock of a hold";
        }
    }
}

}  // namespace
}  // namespace pawl::test
