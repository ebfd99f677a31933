// No lock of a quorum may have a longer lease than client_options::longest_lease.
#include "integration/quorum_fixture.h"

#include <pawl/pawl.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace pawl::test {
namespace {

using testing::HasSubstr;

class longest_lease : public with_quorum {
protected:
    // What the refusal says.
    [[nodiscard]] static std::string refusal(const std::function<void()>& act)
    {
        try {
            act();
        } catch (const error& e) {
            EXPECT_EQ(e.code(), errc::bad_argument) << e.what();
            return e.what();
        }
        return "accepted";
    }
};

TEST_F(longest_lease, limits_the_lease_of_a_mutex)
{
    client own{options()};
    EXPECT_THAT(refusal([&] { const mutex made{own, "job", {.lease = lease + 1ms}}; }),
                HasSubstr("lease: 501 ms on a quorum (allowed: 10 ms to "
                          "client_options::longest_lease, 500 ms)"));
}

TEST_F(longest_lease, limits_extensions)
{
    client own{options()};
    mutex job{own, "job", quick()};
    hold held = job.acquire();
    EXPECT_THAT(refusal([&] { held.extend(lease + 1ms); }), HasSubstr("extend: 501 ms"));
    EXPECT_THAT(refusal([&] { held.ensure(lease + 1ms); }), HasSubstr("ensure: 501 ms"));
    held.extend(lease);
    EXPECT_GT(held.valid_for(), 0ms);
}

// The deadline is earlier than the end of the lease, so a lease of 500 ms does not ensure 500 ms.
TEST_F(longest_lease, that_is_too_short_to_ensure_a_duration_is_told)
{
    client own{options()};
    mutex job{own, "job", quick()};
    hold held = job.acquire();
    EXPECT_THAT(refusal([&] { held.ensure(lease); }),
                HasSubstr("longest_lease, 500 ms, is too short to ensure that"));
    EXPECT_GT(held.valid_for(), lease / 2) << "it was extended all the same";
}

}  // namespace
}  // namespace pawl::test
