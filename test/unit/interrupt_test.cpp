// Waits that a stop_token ends.
#include "base/interrupt.h"

#include "support/self_counts.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>
#include <thread>

namespace pawl::base {
namespace {

using namespace std::chrono_literals;

TEST(an_interrupt, needs_no_descriptor_until_a_thread_waits)
{
    const std::stop_source source;
    const auto before = test::descriptor_count();
    const interrupt stop{source.get_token()};
    EXPECT_EQ(test::descriptor_count(), before);
    EXPECT_EQ(wait_for(-1, 0, boot_clock::now() + 1ms, &stop), wait_end::timed_out);
    EXPECT_EQ(test::descriptor_count(), before + 1);
}

TEST(an_interrupt, needs_no_descriptor_if_no_stop_is_possible)
{
    const auto before = test::descriptor_count();
    const interrupt stop{std::stop_token{}};
    EXPECT_EQ(stop.fd(), -1);
    EXPECT_EQ(wait_for(-1, 0, boot_clock::now() + 1ms, &stop), wait_end::timed_out);
    EXPECT_EQ(test::descriptor_count(), before);
}

TEST(an_interrupt, that_was_requested_before_ends_the_wait_at_once)
{
    std::stop_source source;
    const interrupt stop{source.get_token()};
    source.request_stop();
    EXPECT_EQ(wait_for(-1, 0, boot_time::max(), &stop), wait_end::interrupted);
}

TEST(an_interrupt, ends_the_wait_of_another_thread)
{
    std::stop_source source;
    const std::jthread other{[&source] {
        std::this_thread::sleep_for(5ms);
        source.request_stop();
    }};
    const interrupt stop{source.get_token()};
    EXPECT_EQ(wait_for(-1, 0, boot_time::max(), &stop), wait_end::interrupted);
}

}  // namespace
}  // namespace pawl::base
