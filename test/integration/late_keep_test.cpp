// A keep request that is delayed on its way, and repeated meanwhile.
#include "integration/fixture.h"
#include "support/fault_proxy.h"

#include <future>
#include <optional>

namespace pawl::test {
namespace {

class late_keep : public with_server {};

TEST_F(late_keep, does_not_hand_over_a_lock_that_was_kept_and_passed_on_meanwhile)
{
    fault_proxy proxy{server_.port()};
    client_options slow = options(proxy.url());
    slow.command_limit = 900ms;
    client one{slow};
    mutex mine{one, "job", quick(30s)};
    client other{options()};
    mutex theirs{other, "job", quick(30s)};

    std::optional<hold> first = mine.acquire();
    auto next = std::async(std::launch::async, [&] { return mine.acquire(); });
    // The first holder has no reserved fence to pass the lock on. So it asks the server whether it
    // may keep it.
    ASSERT_TRUE(always(100ms, [&] { return !mine.try_acquire(); })) << "so the next caller waits";
    const auto before = proxy.counts().of("EVALSHA");
    proxy.delay(1500ms);
    auto releasing = std::async(std::launch::async, [&] { first->release(); });
    ASSERT_TRUE(proxy.wait_for([&](const auto& seen) { return seen.of("EVALSHA") > before; }, 5s));
    proxy.pass();  // for other connections; the delayed request is still on its way
    releasing.get();
    hold passed_on = next.get();
    EXPECT_EQ(passed_on.state(), hold_state::held);

    auto waiting = std::async(std::launch::async, [&] { return theirs.try_acquire_for(3s); });
    const auto got = waiting.get();
    EXPECT_FALSE(got) << "two hold it: " << probe_.get("job") << " at the server, and "
                      << passed_on.id() << ", which was never lost";
    EXPECT_TRUE(passed_on.confirm());
}

}  // namespace
}  // namespace pawl::test
