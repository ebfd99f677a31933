// Calls in a process that has no descriptors left. They fail with `unreachable`, as pawl::error, and never with a
// bare std::system_error.
#include "support/sanitized.h"

#if !PAWL_ADDRESS_SANITIZED  // UBSan, which runs together with it, needs descriptors

#include "integration/fixture.h"

#include <pawl/pawl.h>
#include <pawl/stateless.h>

#include <sys/resource.h>

#include <stdexcept>
#include <string>
#include <system_error>

namespace pawl::test {
namespace {

// While this exists, poll(2) fails: it refuses more entries than the process may have descriptors. So a call that
// waits for an answer fails, also on a connection that is open.
class no_poll {
public:
    no_poll()
    {
        if (::getrlimit(RLIMIT_NOFILE, &usual_) != 0) throw std::runtime_error{"getrlimit"};
        auto none = usual_;
        none.rlim_cur = 0;
        if (::setrlimit(RLIMIT_NOFILE, &none) != 0) throw std::runtime_error{"setrlimit"};
    }
    ~no_poll() { static_cast<void>(::setrlimit(RLIMIT_NOFILE, &usual_)); }
    no_poll(const no_poll&) = delete;
    no_poll& operator=(const no_poll&) = delete;

private:
    rlimit usual_{};
};

class without_descriptors : public with_server {
protected:
    // The code of the pawl::error that the call throws. Another exception has the text "raw" in front of it.
    template <class Call>
    [[nodiscard]] std::string failure_of(Call&& call)
    {
        server_.freeze();  // so that the call has to wait for the answer
        std::string got = "none";
        try {
            const no_poll here;
            call();
        } catch (const error& e) {
            got = e.code().message();
        } catch (const std::system_error& e) {
            got = std::string{"raw "} + e.what();
        }
        server_.thaw();
        return got;
    }

    const std::string unreachable_ = make_error_code(errc::unreachable).message();
    client client_{options()};
    mutex mutex_{client_, "job"};
};

TEST_F(without_descriptors, a_hold_cannot_be_extended_or_confirmed)
{
    auto held = mutex_.acquire();
    EXPECT_EQ(failure_of([&] { held.extend(1min); }), unreachable_);
    EXPECT_EQ(failure_of([&] { held.ensure(10min); }), unreachable_);
    EXPECT_EQ(failure_of([&] { (void)held.confirm(); }), unreachable_);
    EXPECT_TRUE(held.confirm()) << "it passes";
}

TEST_F(without_descriptors, a_semaphore_cannot_be_resized)
{
    counting_semaphore seats{client_, "seats", 2};
    seats.resize(3);
    EXPECT_EQ(failure_of([&] { seats.resize(4); }), unreachable_);
    seats.resize(5);
}

TEST_F(without_descriptors, stateless_calls_fail)
{
    ASSERT_TRUE(stateless::try_lock(client_, "plain", "me", 10s));
    EXPECT_EQ(failure_of([&] { (void)stateless::try_lock(client_, "plain", "me", 10s); }),
              unreachable_);
    EXPECT_EQ(failure_of([&] { (void)stateless::holds(client_, "plain", "me"); }), unreachable_);
    EXPECT_EQ(failure_of([&] { (void)stateless::unlock(client_, "plain", "me"); }), unreachable_);
}

TEST_F(without_descriptors, arrivals_notifications_and_questions_fail)
{
    latch gate{client_, "gate", 100};
    gate.count_down();
    EXPECT_EQ(failure_of([&] { gate.count_down(); }), unreachable_);
    condition_variable more{mutex_, "more"};
    more.notify_all();
    EXPECT_EQ(failure_of([&] { more.notify_all(); }), unreachable_);
    once_per report{client_, "report", 1h};
    EXPECT_EQ(failure_of([&] { (void)report.due_in(); }), unreachable_);
    leader primary{client_, "primary"};
    EXPECT_EQ(failure_of([&] { (void)primary.current(); }), unreachable_);
}

TEST_F(without_descriptors, a_change_that_may_have_been_sent_loses_the_lock)
{
    shared_mutex prices{client_, "prices"};
    auto reader = prices.acquire_shared();
    EXPECT_EQ(failure_of([&] { (void)prices.try_upgrade(reader); }), unreachable_);
    EXPECT_EQ(reader.state(), hold_state::lost);
    leader primary{client_, "primary"};
    auto term = primary.campaign("one");
    EXPECT_EQ(failure_of([&] { (void)term.yield_to("two"); }), unreachable_);
    EXPECT_EQ(term.state(), hold_state::lost);
}

}  // namespace
}  // namespace pawl::test

#endif
