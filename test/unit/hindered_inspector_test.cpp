// pawl::inspector at servers that refuse commands or do not answer.
#include "unit/scripted_store_fixture.h"

#include <pawl/inspect.h>

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace pawl::sync {
namespace {

using pawl::store::command_reply;
using pawl::store::server_answer;
using pawl::store::server_question;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class a_hindered_inspector : public with_scripted_store {
protected:
    // Each server has the key "job". No question about a key is answered by the silent one.
    void fall_silent(const std::string& silent)
    {
        store_->answer = [silent](const server_question& asked) {
            server_answer got;
            if (asked.commands.at(0).at(0) == "SCAN") {
                got.replies = {{.texts = {"0", "job"}}};
            } else if (asked.server == silent) {
                got.problem = core::failure{.what = core::failure_kind::no_reply, .detail = "late"};
            } else {
                got.replies.resize(asked.commands.size());
                got.replies[0].texts = {"1700000000", "0"};
                if (asked.commands.size() > 1) got.replies[1].texts = {"none"};
            }
            return got;
        };
    }
    [[nodiscard]] list_summary list()
    {
        return inspector{*client_}.list({}, [](const lock_info&) { return true; });
    }
};

TEST_F(a_hindered_inspector, does_not_call_a_lock_free_that_it_may_not_read)
{
    store_->answer = [](const server_question& asked) {
        server_answer got;
        got.replies.resize(asked.commands.size());
        for (auto& each : got.replies) {
            each.problem = core::failure{.what = core::failure_kind::refused, .detail = "NOPERM"};
        }
        return got;
    };
    try {
        static_cast<void>(
            inspector{*client_}.break_hold("job", {.holder = "me", .reason = {}, .by = {}}));
        FAIL();
    } catch (const error& problem) {
        EXPECT_EQ(problem.code(), errc::refused);
        EXPECT_THAT(problem.what(), HasSubstr("the key is not known: NOPERM"));
    }
}

TEST_F(a_hindered_inspector, says_that_the_locks_of_a_page_are_missing)
{
    store_->names = {"one", "other"};
    fall_silent("one");
    const auto summary = list();
    EXPECT_FALSE(summary.complete);
    EXPECT_THAT(summary.notes, ElementsAre(HasSubstr("one could not be listed: late")));
}

TEST_F(a_hindered_inspector, fails_if_the_only_server_does_not_answer_for_a_page)
{
    fall_silent("scripted");
    try {
        static_cast<void>(list());
        FAIL();
    } catch (const error& problem) {
        EXPECT_EQ(problem.code(), errc::unreachable);
    }
}

}  // namespace
}  // namespace pawl::sync
