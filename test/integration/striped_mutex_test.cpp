#include "integration/child.h"
#include "integration/fixture.h"

#include <mutex>
#include <string>
#include <vector>

namespace pawl::test {
namespace {

// Prints the index of each id, and which of them it cannot lock.
int try_each_id(const child_arguments& arguments)
{
    client own{arguments.at(0)};
    striped_mutex rows{own, "row", 64};
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        const auto& id = arguments[i];
        const bool is_free = rows.of(id).try_acquire().has_value();
        say(id + ' ' + std::to_string(rows.index_of(id)) + (is_free ? " free" : " busy"));
    }
    return 0;
}

const child_role trying{"trying each id", try_each_id};

class striped : public with_server {
protected:
    client client_{options()};
    striped_mutex rows_{client_, "row", 64};
};

TEST_F(striped, ids_on_one_stripe_exclude_each_other_and_others_do_not)
{
    // "0" and "42" have the stripe 44 of 64.
    ASSERT_EQ(rows_.index_of(0), rows_.index_of(42));
    client other{options()};
    striped_mutex theirs{other, "row", 64};
    const std::scoped_lock guard{rows_.of(42)};
    EXPECT_TRUE(probe_.exists("row:44"));
    EXPECT_FALSE(theirs.of(42).try_lock());
    EXPECT_FALSE(theirs.of(0).try_lock());
    EXPECT_TRUE(theirs.of(-7).try_acquire());
    EXPECT_TRUE(theirs.of("order:4711").try_acquire());
}

TEST_F(striped, a_stripe_is_a_mutex_of_that_name)
{
    mutex same{client_, "row:44"};
    const hold held = rows_.of(42).acquire();
    EXPECT_FALSE(same.try_acquire());
}

TEST_F(striped, another_process_finds_the_same_stripe_for_an_id)
{
    const hold held = rows_.of(42).acquire();
    process child =
        trying.start({server_.unix_url(), "0", "42", "-7", "18446744073709551615", "order:4711"});
    EXPECT_EQ(child.wait(30s), exited(0));
    EXPECT_EQ(
        child.out(),
        "0 44 busy\n42 44 busy\n-7 48 free\n18446744073709551615 24 free\norder:4711 6 free\n");
}

}  // namespace
}  // namespace pawl::test
