// How the doctor finds out what a user may do.
#include "doctor/right_trials.h"
#include "support/acl_rule.h"
#include "unit/doctor_fixture.h"

#include <algorithm>

namespace pawl::test {
namespace {

using namespace doctor;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAreArray;
using words = std::vector<std::string>;

words names_of(const std::vector<right>& rights)
{
    words names;
    for (const auto& each : rights) names.push_back("+" + std::string{each.name});
    return names;
}

words commands_of(words rule)
{
    std::erase_if(rule, [](const auto& word) { return !word.starts_with('+'); });
    return rule;
}

TEST(rights_of_the_doctor, are_those_of_the_documented_rules)
{
    EXPECT_THAT(names_of(rights_for({}, 7)),
                UnorderedElementsAreArray(commands_of(smallest_rule())));
    EXPECT_THAT(names_of(rights_for({.kind = store_kind::sentinel}, 7)),
                UnorderedElementsAreArray(commands_of(smallest_rule())));
    EXPECT_THAT(names_of(rights_for({.kind = store_kind::cluster}, 7)),
                UnorderedElementsAreArray(commands_of(smallest_cluster_rule())));
    EXPECT_THAT(names_of(rights_for({.kind = store_kind::cluster}, 6)),
                UnorderedElementsAreArray(commands_of(old_cluster_rule())));
    EXPECT_THAT(names_of(rights_for({.kind = store_kind::quorum}, 7)),
                UnorderedElementsAreArray(commands_of(smallest_quorum_rule())));
    EXPECT_THAT(names_of(rights_for({.wants_acknowledgements = true}, 7)), Contains("+wait"));
}

store::command_reply said(const std::string& text)
{
    return {.problem = {}, .texts = {text}};
}

store::command_reply refused(const std::string& text)
{
    return {.problem = core::failure{.what = core::failure_kind::refused, .detail = text}};
}

TEST(verdict_on_a_command, is_read_from_the_errors_of_each_version)
{
    for (const auto* text :
         {"NOPERM this user has no permissions to run the 'get' command or its subcommand",
          "NOPERM User clerk has no permissions to run the 'pubsub|numsub' command",
          "NOPERM This user has no permissions to run the 'channel-key' command"}) {
        EXPECT_EQ(verdict_of(refused(text)), verdict::denied) << text;
    }
    for (const auto* text :
         {"NOPERM this user has no permissions to access one of the keys used as arguments",
          "NOPERM No permissions to access a key"}) {
        EXPECT_EQ(verdict_of(refused(text)), verdict::key_denied) << text;
    }
    for (const auto* text :
         {"NOPERM this user has no permissions to access one of the channels used as arguments",
          "NOPERM No permissions to access a channel"}) {
        EXPECT_EQ(verdict_of(refused(text)), verdict::channel_denied) << text;
    }
    EXPECT_EQ(verdict_of(refused("ERR unknown command 'eval'")), verdict::missing);
    EXPECT_EQ(verdict_of(refused("ERR value is not an integer or out of range")), verdict::allowed);
    EXPECT_EQ(verdict_of(said("x")), verdict::allowed);
}

TEST(verdict_on_a_command, is_read_from_a_dry_run)
{
    EXPECT_EQ(verdict_of_dry_run(said("OK")), verdict::allowed);
    EXPECT_EQ(verdict_of_dry_run(said("User clerk has no permissions to run the 'get' command")),
              verdict::denied);
    EXPECT_EQ(
        verdict_of_dry_run(said("User clerk has no permissions to access the 'pawl:doctor:1' key")),
        verdict::key_denied);
    EXPECT_EQ(verdict_of_dry_run(said("User clerk has no permissions to access the 'a' channel")),
              verdict::channel_denied);
    EXPECT_EQ(verdict_of_dry_run(refused("ERR Command 'lpos' not found")), verdict::missing);
    // Names may contain the other words.
    EXPECT_EQ(verdict_of_dry_run(
                  said("User channel-svc has no permissions to access the 'channel:1' key")),
              verdict::key_denied);
    EXPECT_EQ(
        verdict_of_dry_run(said("User key-svc has no permissions to access the 'key' channel")),
        verdict::channel_denied);
    EXPECT_EQ(
        verdict_of_dry_run(said("User channel-key has no permissions to run the 'x' command")),
        verdict::denied);
}

const trial_names names{.key = "pawl:doctor:1", .channel = "pawl:client:1"};

store::server_answer answered(store::command_reply set, store::command_reply dry_run,
                              store::command_reply del = said("1"))
{
    store::server_answer got;
    got.replies = {std::move(set), std::move(del), std::move(dry_run)};
    return got;
}

const auto no_dry_run = refused("NOPERM this user has no permissions to run the 'acl' command");

words first_words(const std::vector<store::command>& commands)
{
    words got;
    for (const auto& each : commands) got.push_back(each.front());
    return got;
}

TEST(right_trials, ask_acl_dryrun_if_they_may)
{
    right_trials trials{{}, 7, "clerk", names};
    EXPECT_EQ(trials.first()[2], (store::command{"ACL", "DRYRUN", "clerk", "PING"}));
    trials.read_first(answered(said("OK"), said("OK")));
    EXPECT_FALSE(trials.must_try_listening());
    auto commands = trials.second();
    EXPECT_EQ(commands.back(), (store::command{"DEL", "pawl:doctor:1"}));
    commands.pop_back();
    EXPECT_THAT(first_words(commands), Each("ACL"));
    EXPECT_THAT(commands,
                Contains(store::command{"ACL", "DRYRUN", "clerk", "SUBSCRIBE", "pawl:client:1"}));
}

TEST(right_trials, try_the_commands_themselves_otherwise)
{
    right_trials trials{{}, 7, "clerk", names};
    trials.read_first(answered(said("OK"), no_dry_run));
    EXPECT_TRUE(trials.must_try_listening());
    const auto got = first_words(trials.second());
    EXPECT_THAT(got, Contains("RPUSH"));
    EXPECT_THAT(got, Contains("SET"));
    EXPECT_THAT(got, Not(Contains("SUBSCRIBE"))) << "it would change the connection";
    EXPECT_EQ(std::ranges::count(got, "DEL"), 1);
    EXPECT_EQ(got.back(), "DEL");
}

TEST(right_trials, make_no_key_that_would_stay)
{
    right_trials trials{{}, 7, "clerk", names};
    trials.read_first(answered(
        refused("NOPERM this user has no permissions to run the 'set' command"), no_dry_run));
    const auto got = first_words(trials.second());
    for (const auto* each : {"RPUSH", "INCR", "HSET"}) EXPECT_THAT(got, Not(Contains(each)));
    EXPECT_THAT(got, Contains("LPOP"));
    EXPECT_EQ(trials.result().write_problem, "") << "a missing right is told as such";
}

TEST(right_trials, try_everything_if_no_key_can_be_made)
{
    right_trials trials{{}, 7, "clerk", names};
    trials.read_first(
        answered(refused("NOPERM this user has no permissions to run the 'set' command"),
                 no_dry_run, refused("NOPERM No permissions to access a key")));
    EXPECT_THAT(first_words(trials.second()), Contains("RPUSH"));
}

TEST(right_trials, notice_a_server_that_refuses_writes)
{
    right_trials trials{{}, 7, "clerk", names};
    trials.read_first(
        answered(refused("OOM command not allowed when used memory > 'maxmemory'."), no_dry_run));
    EXPECT_THAT(trials.result().write_problem, HasSubstr("OOM"));
}

TEST(right_trials, ask_for_the_keys_of_a_lock)
{
    right_trials trials{{.lock = "stock:1"}, 7, "clerk", names};
    trials.read_first(answered(said("OK"), no_dry_run));
    const auto commands = trials.second();
    for (const auto* key : {"stock:1", "pawl:fence:{stock:1}", "pawl:queue:{stock:1}"}) {
        EXPECT_THAT(commands, Contains(store::command{"PEXPIRE", key, "x"}));
    }
    store::server_answer answer;
    for (const auto& each : commands) {
        const bool is_queue = each.size() > 1 && each[1].starts_with("pawl:queue:");
        answer.replies.push_back(is_queue ? refused("NOPERM No permissions to access a key")
                                          : refused("ERR value is not an integer"));
    }
    trials.read_second(answer);
    server_facts facts;
    facts.rights = trials.result();
    const auto got = check_lock_keys(facts, {.lock = "stock:1"});
    ASSERT_EQ(got.size(), 1U);
    EXPECT_EQ(got[0].severity, severity::fault);
    EXPECT_EQ(got[0].seen, "user clerk may not use pawl:queue:{stock:1}");
}

class doctor_on_rights : public doctor_checks {
protected:
    void all_allowed()
    {
        server_.rights = {.user = "clerk"};
        for (const auto& each : rights_for(at_, 7)) {
            server_.rights.commands.push_back({std::string{each.name}, verdict::allowed});
        }
    }
    void set(std::string_view name, verdict what)
    {
        for (auto& each : server_.rights.commands) {
            if (each.right == name) each.what = what;
        }
    }
};

TEST_F(doctor_on_rights, says_how_it_found_out)
{
    all_allowed();
    EXPECT_EQ(of(check_rights).seen, "user clerk has 31 commands of the ACL rule (tried)");
    server_.rights.dry_run = true;
    EXPECT_THAT(of(check_rights).seen, HasSubstr("(asked with ACL DRYRUN)"));
}

TEST_F(doctor_on_rights, names_each_missing_right_by_its_weight)
{
    const auto without = [&](std::string_view name) {
        all_allowed();
        set(name, verdict::denied);
        const auto got = of(check_rights);
        EXPECT_THAT(got.seen, HasSubstr("lacks +" + std::string{name} + " (tried)"));
        return got.severity;
    };
    EXPECT_EQ(without("pexpire"), severity::fault);
    EXPECT_EQ(without("rpush"), severity::fault);
    EXPECT_EQ(without("pubsub|numsub"), severity::warning);
    EXPECT_EQ(without("hset"), severity::warning);
    EXPECT_EQ(without("zadd"), severity::warning);
    EXPECT_EQ(without("incr"), severity::note);
}

TEST_F(doctor_on_rights, needs_info_if_a_majority_must_acknowledge)
{
    const auto without_info = [&] {
        all_allowed();
        set("info", verdict::denied);
        return of(check_rights);
    };
    EXPECT_EQ(without_info().severity, severity::note) << "bare acquires";
    at_.wants_acknowledgements = true;
    EXPECT_EQ(without_info().severity, severity::note) << "the number is given";
    at_.wants_majority = true;
    for (const auto kind : {store_kind::one_server, store_kind::sentinel, store_kind::cluster}) {
        at_.kind = kind;
        EXPECT_EQ(without_info().severity, severity::fault);
        EXPECT_EQ(without_info().seen, "user clerk lacks +info (tried)");
    }
}

TEST_F(doctor_on_rights, names_rights_for_the_same_purpose_together)
{
    all_allowed();
    for (const auto* name : {"zadd", "zrem", "zscore"}) set(name, verdict::denied);
    EXPECT_EQ(of(check_rights).seen, "user clerk lacks +zadd, +zrem, +zscore (tried)");
}

TEST_F(doctor_on_rights, tells_a_renamed_command_from_a_missing_right)
{
    all_allowed();
    set("eval", verdict::missing);
    EXPECT_EQ(of(check_rights).seen, "the server does not have the command eval");
}

TEST_F(doctor_on_rights, needs_select_for_a_database_only)
{
    all_allowed();
    set("select", verdict::denied);
    EXPECT_EQ(severity_of(check_rights), severity::ok);
    at_.database = 2;
    EXPECT_EQ(severity_of(check_rights), severity::note);
}

TEST_F(doctor_on_rights, counts_a_refused_key_but_not_a_refused_channel)
{
    all_allowed();
    set("get", verdict::key_denied);
    EXPECT_EQ(severity_of(check_rights), severity::ok) << "the key of the doctor";
    set("publish", verdict::channel_denied);
    EXPECT_THAT(of(check_rights).seen, HasSubstr("lacks &pawl:client:*"));
    EXPECT_EQ(severity_of(check_rights), severity::warning);
}

TEST_F(doctor_on_rights, says_what_it_could_not_try)
{
    all_allowed();
    set("subscribe", verdict::unknown);
    const auto got = check_rights(server_, at_);
    ASSERT_EQ(got.size(), 2U);
    EXPECT_EQ(got[0].severity, severity::ok);
    EXPECT_FALSE(got[1].checked);
    EXPECT_THAT(got[1].seen, HasSubstr("+subscribe"));
}

TEST_F(doctor_on_rights, reports_that_the_server_refuses_writes)
{
    EXPECT_THAT(check_writes(server_, at_), IsEmpty());
    server_.rights.write_problem = "MISCONF Redis is configured to save RDB snapshots";
    EXPECT_EQ(severity_of(check_writes), severity::fault);
}

TEST_F(doctor_on_rights, wants_a_lock_to_be_named_if_only_some_keys_are_allowed)
{
    all_allowed();
    EXPECT_THAT(check_lock_keys(server_, at_), IsEmpty());
    set("set", verdict::key_denied);
    EXPECT_FALSE(of(check_lock_keys).checked);
    at_.lock = "stock:1";
    EXPECT_EQ(of(check_lock_keys).seen, "not checked: the user may not use PEXPIRE");
}

}  // namespace
}  // namespace pawl::test
