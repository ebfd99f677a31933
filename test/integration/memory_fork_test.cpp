// A child made by fork() does not own its parent's memory: stores, and has its own.
#include <pawl/pawl.h>
#include <pawl/testing.h>

#include "support/eventually.h"
#include "support/process.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <optional>

namespace pawl::test {
namespace {

using namespace std::chrono_literals;
using pawl::testing::memory_server;

class forked_memory : public ::testing::Test {
protected:
    // Runs `body` in a child. It returns a line for each problem.
    static void in_child(const std::function<std::string()>& body)
    {
        process child = process::forked([&body] {
            const std::string complaints = body();
            ::dprintf(1, "%s", complaints.c_str());
            return complaints.empty() ? 0 : 1;
        });
        EXPECT_EQ(child.wait(patience), exited(0)) << child.out() << child.err();
    }

    template <class Call>
    [[nodiscard]] static std::string complain_unless_wrong_process(const char* what, Call&& call)
    {
        try {
            call();
            return std::string{what} + ": went through\n";
        } catch (const error& problem) {
            if (problem.code() == errc::wrong_process) return {};
            return std::string{what} + ": " + problem.what() + '\n';
        }
    }

    std::unique_ptr<memory_server> server_ = std::make_unique<memory_server>("forked");
    std::unique_ptr<client> client_ = std::make_unique<client>("memory:forked");
    std::unique_ptr<mutex> mutex_ = std::make_unique<mutex>(*client_, "job");
    std::optional<hold> held_ = mutex_->acquire();
};

TEST_F(forked_memory, is_not_usable_in_the_child)
{
    in_child([this] {
        return complain_unless_wrong_process("ping", [&] { client_->ping(); }) +
               complain_unless_wrong_process("acquire", [&] { (void)mutex_->try_acquire(); }) +
               complain_unless_wrong_process("advance", [&] { server_->advance(1h); }) +
               complain_unless_wrong_process("freeze", [&] { server_->freeze(); }) +
               complain_unless_wrong_process("holder", [&] { (void)server_->holder("job"); });
    });
    in_child([this] {
        held_.reset();
        mutex_.reset();
        client_.reset();
        server_.reset();
        return std::string{};
    });
    server_->advance(1h);
    EXPECT_EQ(held_->state(), hold_state::held);
    EXPECT_EQ(server_->holder("job"), held_->id());
}

TEST_F(forked_memory, of_the_same_name_is_another_server_in_the_child)
{
    in_child([] {
        client own{"memory:forked"};
        mutex lock{own, "job", {.lease = 10s, .renew = false}};
        const auto held = lock.try_acquire();
        if (!held) return std::string{"the child uses its parent's store\n"};
        memory_server server{"forked"};
        server.advance(11s);
        return held->state() == hold_state::lost ? std::string{} : "time did not pass\n";
    });
    EXPECT_EQ(held_->state(), hold_state::held);
}

}  // namespace
}  // namespace pawl::test
