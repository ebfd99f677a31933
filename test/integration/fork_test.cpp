// A child made by fork() does not own its parent's locks, and does not harm them.
#include "integration/fixture.h"
#include "support/process.h"

#include <atomic>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

namespace pawl::test {
namespace {

class forked_child : public with_server {
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

    void parent_is_undisturbed()
    {
        EXPECT_TRUE(always(2s, [&] { return held_->state() == hold_state::held; }));
        EXPECT_TRUE(held_->confirm());
        held_->release();
        EXPECT_FALSE(probe_.exists("job"));
        EXPECT_TRUE(mutex_->try_acquire());
        EXPECT_EQ(events_.count(hold_state::lost), 0);
        EXPECT_EQ(events_.count(hold_state::jeopardy), 0);
    }

    std::unique_ptr<client> client_ = std::make_unique<client>(options());
    std::unique_ptr<mutex> mutex_ = std::make_unique<mutex>(*client_, "job", quick(2400ms));
    std::optional<hold> held_ = mutex_->acquire();
};

TEST_F(forked_child, gets_the_wrong_process_error)
{
    counting_semaphore seats{*client_, "seats", 3};
    in_child([&, this] {
        std::string complaints;
        const auto expect = [&](const char* what, std::error_code got) {
            if (got != errc::wrong_process) complaints += what + (": " + got.message()) + '\n';
        };
        std::error_code told;
        expect("ping", outcome_of([&] { client_->ping(); }).code);
        (void)mutex_->try_acquire(told);
        expect("try_acquire", told);
        (void)mutex_->try_acquire_for(1s, told);
        expect("try_acquire_for", told);
        (void)mutex_->acquire(told);
        expect("acquire", told);
        expect("lock", outcome_of([&] { mutex_->lock(); }).code);
        expect("try_lock", outcome_of([&] { (void)mutex_->try_lock(); }).code);
        held_->extend(1s, told);
        expect("extend", told);
        (void)held_->confirm(told);
        expect("confirm", told);
        expect("stateless",
               outcome_of([&] { (void)stateless::try_lock(*client_, "other", "me", 1s); }).code);
        expect("permits", outcome_of([&] { (void)seats.permits(1); }).code);
        (void)seats.acquire(2, told);
        expect("permits", told);
        seats.resize(4, told);
        expect("resize", told);
        held_->release(told);
        expect("release", told);
        if (client_->metrics() != metrics{}) complaints += "metrics of the parent\n";
        const std::string message = outcome_of([&] { client_->ping(); }).message;
        if (!contains(message, "child")) complaints += "no advice: " + message + '\n';
        return complaints;
    });
    parent_is_undisturbed();
}

TEST_F(forked_child, may_destroy_everything)
{
    in_child([this] {
        held_.reset();
        mutex_.reset();
        client_.reset();
        return std::string{};
    });
    parent_is_undisturbed();
}

TEST_F(forked_child, may_end_without_destroying_anything)
{
    in_child([] { return std::string{}; });
    parent_is_undisturbed();
}

TEST_F(forked_child, does_not_free_the_lock_of_a_lock_guard)
{
    mutex guarded{*client_, "guarded", quick(2400ms)};
    guarded.lock();
    in_child([&] {
        std::error_code told;
        guarded.unlock(told);
        return told == errc::wrong_process ? std::string{} : "unlock: " + told.message();
    });
    EXPECT_TRUE(probe_.exists("guarded"));
    std::error_code told;
    guarded.unlock(told);
    EXPECT_FALSE(told) << told.message();
    parent_is_undisturbed();
}

TEST_F(forked_child, can_create_its_own_client)
{
    in_child([this] {
        client own{server_.unix_url()};
        mutex others{own, "job", quick(2400ms)};
        if (others.try_acquire())
            return std::string{"the child got a lock that the parent holds\n"};
        mutex free{own, "free", quick(2400ms)};
        if (!free.try_acquire()) return std::string{"the child cannot acquire a free lock\n"};
        return std::string{};
    });
    parent_is_undisturbed();
}

TEST_F(forked_child, is_safe_while_other_threads_of_the_parent_are_busy)
{
    std::atomic<bool> enough = false;
    std::vector<std::jthread> busy;
    for (int t = 0; t < 3; ++t) {
        busy.emplace_back([&, t] {
            mutex lock{*client_, "busy:" + std::to_string(t), quick(10s)};
            while (!enough) const std::lock_guard guard{lock};
        });
    }
    for (int i = 0; i < 20; ++i) {
        in_child([this] {
            std::error_code told;
            (void)mutex_->try_acquire(told);
            held_.reset();
            mutex_.reset();
            client_.reset();
            return told == errc::wrong_process ? std::string{} : told.message() + '\n';
        });
    }
    enough = true;
    busy.clear();
    parent_is_undisturbed();
}

}  // namespace
}  // namespace pawl::test
