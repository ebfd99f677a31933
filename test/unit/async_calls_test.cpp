// Calls that no thread waits for: where they begin, and which threads may run their tasks.
#include "sync/async_call.h"

#include "base/platform.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace pawl::sync {
namespace {

// Runs a task at once if the caller lends its thread, and otherwise when it is told to.
class recording_loop final : public base::scheduler {
public:
    void start() override {}
    void stop() override {}
    void post(task work) override { posted_.push_back(std::move(work)); }
    void run_or_post(task work) override { work(); }
    void set_alarm(base::boot_time /*when*/) override {}
    void on_alarm(task /*handler*/) override {}
    timer call_at(base::boot_time /*when*/, task /*work*/) override { return {}; }
    void cancel(const timer& /*handle*/) override {}
    void own_thread_only(bool now) override { alone_ += now ? 1 : -1; }

    void run()
    {
        for (const auto& each : std::exchange(posted_, {})) each();
    }
    [[nodiscard]] bool is_alone() const { return alone_ > 0; }

private:
    std::vector<task> posted_;
    int alone_ = 0;
};

class quiet_call final : public async_call {
public:
    explicit quiet_call(bool& began) : began_{began} {}
    void start() override { began_ = true; }
    void cancel() override {}
    void abandon() override {}

private:
    bool& began_;
};

class async_calls_of_a_client : public testing::Test {
protected:
    [[nodiscard]] std::shared_ptr<quiet_call> new_call()
    {
        return std::make_shared<quiet_call>(began_);
    }

    bool began_ = false;
    recording_loop loop_;
    base::system_platform platform_;
    async_calls calls_{platform_, loop_};
};

TEST_F(async_calls_of_a_client,
       begin_on_the_loop_and_keep_other_threads_from_it_if_a_user_hears_of_them)
{
    const auto call = new_call();
    calls_.start(call);
    EXPECT_FALSE(began_);
    EXPECT_TRUE(loop_.is_alone());
    loop_.run();
    EXPECT_TRUE(began_);
    calls_.ended(*call);
    EXPECT_FALSE(loop_.is_alone());
}

TEST_F(async_calls_of_a_client, begin_in_the_callers_thread_if_no_user_hears_of_them)
{
    const auto call = new_call();
    calls_.start(call, call_end::unheard);
    EXPECT_TRUE(began_);
    EXPECT_FALSE(loop_.is_alone());
    calls_.ended(*call);
    EXPECT_FALSE(loop_.is_alone());
}

TEST_F(async_calls_of_a_client, are_counted_apart)
{
    const auto quiet = new_call();
    const auto heard = new_call();
    calls_.start(quiet, call_end::unheard);
    calls_.start(heard);
    calls_.ended(*quiet);
    EXPECT_TRUE(loop_.is_alone());
    calls_.ended(*heard);
    EXPECT_FALSE(loop_.is_alone());
}

}  // namespace
}  // namespace pawl::sync
