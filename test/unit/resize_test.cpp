#include "core/resize.h"

#include "unit/at.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

namespace pawl::core {
namespace {

using namespace std::chrono_literals;
using test::always;
using test::at;
using kind = step::kind;

class resizing : public testing::Test {
protected:
    // The number that the request names. The request must be sent.
    static std::optional<std::uint64_t> after(const step& what)
    {
        EXPECT_EQ(what.what, kind::send);
        return std::get<resize_request>(std::get<exchange_request>(what.request)).after;
    }

    static reply not_set(std::uint64_t number) { return resize_reply{resized{.number = number}}; }
    static reply set(std::uint64_t number)
    {
        return resize_reply{resized{.number = number, .is_set = true}};
    }

    base::random_unit random_ = always(1);
    resize_machine machine_{std::make_shared<const object>(object{.name = "seats"}), 5, 300ms,
                            random_};
};

TEST_F(resizing, asks_for_the_last_number_and_sets_the_capacity_after_it)
{
    EXPECT_EQ(after(machine_.start(at(0))), std::nullopt);
    EXPECT_EQ(after(machine_.on_reply(not_set(7), at(1))), 7U);
    EXPECT_EQ(machine_.on_reply(set(8), at(2)).what, kind::finish);
    EXPECT_EQ(machine_.problem(), std::nullopt);
}

TEST_F(resizing, sets_it_again_if_another_resize_was_executed_in_between)
{
    static_cast<void>(machine_.start(at(0)));
    EXPECT_EQ(after(machine_.on_reply(not_set(0), at(1))), 0U);
    EXPECT_EQ(after(machine_.on_reply(not_set(7), at(2))), 7U);
    EXPECT_EQ(after(machine_.on_reply(not_set(9), at(3))), 9U);
    EXPECT_EQ(machine_.on_reply(set(10), at(4)).what, kind::finish);
    EXPECT_EQ(machine_.problem(), std::nullopt);
}

TEST_F(resizing, sets_it_again_if_its_own_answer_was_lost)
{
    static_cast<void>(machine_.start(at(0)));
    static_cast<void>(machine_.on_reply(not_set(7), at(1)));
    const auto pause = machine_.on_reply(
        resize_reply{failure{.what = failure_kind::no_reply, .maybe_executed = true}}, at(100));
    ASSERT_EQ(pause.what, kind::pause);
    EXPECT_EQ(after(machine_.on_time(pause.until)), 7U) << "the same request";
    EXPECT_EQ(after(machine_.on_reply(not_set(8), at(150))), 8U) << "8 is its own";
    EXPECT_EQ(machine_.on_reply(set(9), at(160)).what, kind::finish);
    EXPECT_EQ(machine_.problem(), std::nullopt);
}

TEST_F(resizing, gives_up_if_others_resize_all_the_time)
{
    auto next = machine_.start(at(0));
    int requests = 0;
    for (; next.what == kind::send; ++requests) {
        next = machine_.on_reply(not_set(static_cast<std::uint64_t>(requests)), at(1));
    }
    EXPECT_EQ(requests, resize_machine::most_tries);
    EXPECT_EQ(machine_.problem().value().what, failure_kind::unavailable);
}

TEST_F(resizing, ends_with_an_answer_that_says_no)
{
    static_cast<void>(machine_.start(at(0)));
    EXPECT_EQ(
        machine_.on_reply(resize_reply{failure{.what = failure_kind::not_a_lock}}, at(1)).what,
        kind::finish);
    EXPECT_EQ(machine_.problem().value().what, failure_kind::not_a_lock);
}

TEST_F(resizing, that_is_cancelled_has_not_succeeded)
{
    static_cast<void>(machine_.start(at(0)));
    static_cast<void>(machine_.on_reply(not_set(7), at(1)));
    EXPECT_EQ(machine_.on_cancel(at(2), {}).what, kind::finish);
    EXPECT_TRUE(machine_.problem());
}

}  // namespace
}  // namespace pawl::core
