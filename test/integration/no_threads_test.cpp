// A process that cannot start more threads: a loss is still reported. A lock whose loss could not
// be reported is not granted.
#include "integration/fixture.h"
#include "support/process.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <future>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>

namespace pawl::test {
namespace {

// Sets the limit for the user of this process.
void let_threads_be_made(bool yes)
{
    rlimit limit{};
    ::getrlimit(RLIMIT_NPROC, &limit);
    limit.rlim_cur = yes ? limit.rlim_max : 0;
    ::setrlimit(RLIMIT_NPROC, &limit);
}

bool can_make_threads()
{
    try {
        std::thread{[] {}}.join();
        return true;
    } catch (const std::system_error&) {
        return false;
    }
}

class without_threads : public with_server {
protected:
    // In a child with the limits of a normal user: root may always start threads.
    static process in_child(const std::function<std::string()>& body)
    {
        return process::forked([&body] {
            constexpr uid_t nobody = 65'534;
            if (::getuid() == 0 && ::setresuid(nobody, nobody, nobody) != 0) return 2;
            const std::string complaints = body();
            ::dprintf(1, "%s\n", complaints.c_str());
            return complaints.empty() ? 0 : 1;
        });
    }

    // Without an event handler: the test is about the stop_token.
    [[nodiscard]] client_options plain_options() const
    {
        client_options made;
        made.url = server_.url();
        return made;
    }
};

TEST_F(without_threads, a_loss_is_reported)
{
    process child = in_child([this]() -> std::string {
        client own{plain_options()};
        mutex lock{own, "job", quick(900ms)};
        const hold held = lock.acquire();
        std::promise<void> told;
        const std::stop_callback on_loss{held.lost(), [&] { told.set_value(); }};
        let_threads_be_made(false);
        if (can_make_threads()) return "a thread could be started";
        ::dprintf(1, "holds\n");
        const bool in_time = told.get_future().wait_for(patience) == std::future_status::ready;
        return in_time ? "" : "the loss was not reported";
    });
    static_cast<void>(child.line_after("holds"));
    probe_.must({"DEL", "job"});
    EXPECT_EQ(child.wait(2 * patience), exited(0)) << child.out() << child.err();
}

TEST_F(without_threads, an_event_of_a_loss_is_reported)
{
    process child = in_child([this]() -> std::string {
        std::promise<void> told;
        auto options = plain_options();
        options.on_event = [&](const event& what) {
            if (what.to == hold_state::lost) told.set_value();
        };
        client own{options};
        mutex lock{own, "job", quick(900ms)};
        const hold held = lock.acquire();
        let_threads_be_made(false);
        if (can_make_threads()) return "a thread could be started";
        ::dprintf(1, "holds\n");
        const bool in_time = told.get_future().wait_for(patience) == std::future_status::ready;
        return in_time ? "" : "the loss was not reported";
    });
    static_cast<void>(child.line_after("holds"));
    probe_.must({"DEL", "job"});
    EXPECT_EQ(child.wait(2 * patience), exited(0)) << child.out() << child.err();
}

TEST_F(without_threads, a_lock_is_not_granted_until_its_loss_could_be_reported)
{
    process child = in_child([this]() -> std::string {
        client own{plain_options()};
        mutex lock{own, "job"};
        let_threads_be_made(false);
        if (can_make_threads()) return "a thread could be started";
        const outcome refused = outcome_of([&] { (void)lock.acquire(); });
        if (refused.code != errc::unreachable) return "got: " + refused.code.message();
        if (!contains(refused.message, "cannot start the thread")) return refused.message;
        let_threads_be_made(true);
        return lock.try_acquire() ? "" : "not granted";
    });
    EXPECT_EQ(child.wait(2 * patience), exited(0)) << child.out() << child.err();
}

}  // namespace
}  // namespace pawl::test
