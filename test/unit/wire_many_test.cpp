// The requests of the Redis store about many locks at once.
#include "store/redis/server_call.h"
#include "unit/wire_fixture.h"

#include <span>
#include <string>
#include <variant>
#include <vector>

namespace pawl::store {
namespace {

const std::string id = "pab4567890123456789012345678901f";
const std::string part = "pAB4567890123456789012345678901F";

class wire_many : public testing::Test {
protected:
    core::object set_{.name = "a, b", .kind = core::object_kind::many, .parts = {"a", "b"}};
    core::object hash_{.name = "a, b",
                       .kind = core::object_kind::many,
                       .layout = layout::hash,
                       .parts = {"a", "b"}};
};

TEST_F(wire_many, an_acquire_names_the_keys_of_all_locks_and_the_lease_of_a_part)
{
    const acquire_request request{.mine = {&set_, id}, .lease = 30s};
    EXPECT_EQ(
        written(request),
        (word_list{"EVALSHA", std::string{redis::scripts::plain_many_acquire.sha}, "6", "a",
                   "pawl:fence:{a}", "pawl:queue:{a}", "b", "pawl:fence:{b}", "pawl:queue:{b}", id,
                   "0", "0", "0000000000000x000000000000000000001000", part, "30000"}));
    const acquire_request brief{.mine = {&hash_, id}, .lease = 500ms};
    EXPECT_EQ(written(brief)[1], redis::scripts::hash_many_acquire.sha);
    EXPECT_EQ(written(brief)[12], "0000000000000x00000000000000000000500");
}

TEST_F(wire_many, a_release_names_both_holders_and_announces_each_lock)
{
    core::release_request request{.mine = {&set_, id}, .used = 17};
    EXPECT_EQ(from(written(request), 9), (word_list{id, part}));
    request.announce = true;
    EXPECT_EQ(from(written(request), 11),
              (word_list{R"({"lockKey":"a","releaseTime":1700000000123,"holder":")" + id + "\"}",
                         R"({"lockKey":"b","releaseTime":1700000000123,"holder":")" + id + "\"}"}));
}

TEST_F(wire_many, checks_and_renewals_name_all_locks)
{
    EXPECT_EQ(from(written(core::check_request{.mine = {&set_, id}}), 1),
              (word_list{std::string{redis::scripts::plain_many_check.sha}, "2", "a", "b", id}));
    const std::vector<core::extend_request> all{{{&set_, id}, 30s}, {{&set_, "other"}, 5s}};
    EXPECT_EQ(from(written(std::span{all}), 1),
              (word_list{std::string{redis::scripts::plain_many_renew.sha}, "4", "a", "b", "a", "b",
                         id, "30000", "2", "other", "5000", "2"}));
}

TEST_F(wire_many, a_part_has_the_holder_in_capital_letters)
{
    EXPECT_EQ(core::make_holder_of_many(std::string(32, 'c'), std::string(16, 'd')),
              "pa" + std::string(14, 'c') + std::string(16, 'd'));
    EXPECT_EQ(core::part_holder(id), part);
    EXPECT_EQ(core::whole_holder(part), id);
    EXPECT_EQ(core::whole_holder(id), id);
    EXPECT_EQ(core::whole_holder("A caller's OWN id"), "A caller's OWN id");
}

}  // namespace
}  // namespace pawl::store
