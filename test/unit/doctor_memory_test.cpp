// pawl::examine() with a server that knows few commands.
#include <pawl/doctor.h>
#include <pawl/error.h>
#include <pawl/mutex.h>
#include <pawl/testing.h>

#include <gmock/gmock.h>

#include <algorithm>

namespace pawl::test {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

TEST(doctor_at_memory_server, says_what_cannot_be_checked_there)
{
    pawl::testing::memory_server server;
    client of{server.url()};
    const auto all = examine(of, {.duration = 100ms});
    EXPECT_THAT(all, Contains(Field(&finding::check, "reachable")));
    EXPECT_TRUE(std::ranges::any_of(all, [](const auto& each) { return !each.checked; }));
}

TEST(doctor_at_memory_server, leaves_locks_alone)
{
    pawl::testing::memory_server server;
    client of{server.url()};
    mutex stock{of, "stock"};
    auto held = stock.acquire();
    (void)examine(of, {.duration = 100ms, .lock = "stock"});
    EXPECT_TRUE(held.confirm());
}

TEST(doctor_at_memory_server, refuses_wrong_values)
{
    pawl::testing::memory_server server;
    client of{server.url()};
    for (const auto length : {99ms, std::chrono::milliseconds{600'001}}) {
        try {
            (void)examine(of, {.duration = length});
            ADD_FAILURE();
        } catch (const error& refused) {
            EXPECT_EQ(refused.code(), errc::bad_argument);
            EXPECT_THAT(refused.what(), HasSubstr("(allowed: 100 ms to 10 min)"));
        }
    }
}

TEST(severities, are_ordered_and_have_names)
{
    EXPECT_LT(severity::ok, severity::note);
    EXPECT_LT(severity::note, severity::warning);
    EXPECT_LT(severity::warning, severity::fault);
    EXPECT_EQ(to_string(severity::ok), "ok");
    EXPECT_EQ(to_string(severity::note), "note");
    EXPECT_EQ(to_string(severity::warning), "warning");
    EXPECT_EQ(to_string(severity::fault), "fault");
}

}  // namespace
}  // namespace pawl::test
