// Passwords, users with few permissions, databases, old protocols.
#include "integration/fixture.h"
#include "support/acl_rule.h"
#include "support/temp_dir.h"

#include <algorithm>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <stdlib.h>
#include <stop_token>
#include <thread>
#include <unistd.h>

namespace pawl::test {
namespace {

void use_everything(client& own)
{
    for (const layout where : {layout::plain, layout::hash}) {
        mutex lock{own, "stock:42", quick(2400ms, where)};
        recursive_mutex recursive{own, "stock:43", quick(2400ms, where)};
        const std::scoped_lock both{lock, recursive};
        const std::scoped_lock again{recursive};
        EXPECT_TRUE(lock.current()->confirm());
        lock.current()->extend(2500ms);
        EXPECT_TRUE(always(2s, [&] { return lock.current()->state() == hold_state::held; }));
    }
    counting_semaphore seats{own, "stock:47", 3, quick(2400ms)};
    hold one = seats.acquire();
    hold two = seats.acquire(2);
    two.extend(2500ms);
    EXPECT_TRUE(one.confirm());
    EXPECT_TRUE(always(2s, [&] { return one.state() == hold_state::held; }));
    seats.resize(2);
    EXPECT_TRUE(stateless::try_lock(own, "stock:44", "me", 1s));
    EXPECT_TRUE(stateless::unlock(own, "stock:44", "me"));
    own.ping();
}

class password : public with_server {
protected:
    password() : with_server{{.config = {"requirepass sesame"}}}
    {
        probe_.must({"AUTH", "sesame"});
        probe_.must({"ACL", "SETUSER", "clerk", "on", ">street", "+@all", "~*", "&*"});
    }

    // Checks that no secret is in any text that users can read.
    void nothing_is_shown(const std::string& more = {})
    {
        std::string all = more + events_.text();
        for (const event& one : events_.all()) all += one.detail;
        for (const char* secret : {"sesame", "street", "wrong-password"}) {
            EXPECT_TRUE(hides(all, secret));
        }
    }

    outcome ping_with(const client_options& made)
    {
        return outcome_of([&] {
            client own{made};
            own.ping();
            EXPECT_TRUE(hides(own.server(), "sesame"));
        });
    }

    temp_dir files_;
};

TEST_F(password, in_the_options_is_accepted)
{
    client_options made = options();
    made.password = "sesame";
    EXPECT_EQ(ping_with(made).message, "");
}

TEST_F(password, in_the_url_is_accepted_with_and_without_a_user)
{
    const std::string where = "127.0.0.1:" + std::to_string(server_.port());
    EXPECT_EQ(ping_with(options("redis://:sesame@" + where)).message, "");
    EXPECT_EQ(ping_with(options("redis://default:sesame@" + where)).message, "");
    EXPECT_EQ(ping_with(options("redis://clerk:stree%74@" + where)).message, "");
}

TEST_F(password, of_a_user_in_the_options_is_accepted)
{
    client_options made = options();
    made.user = "clerk";
    made.password = "street";
    client own{made};
    own.ping();
    EXPECT_TRUE(says(probe_.client_list().at(0), "user=clerk"));
}

TEST_F(password, is_read_from_a_file_and_may_be_changed_there)
{
    write_file(files_.file("secret"), "sesame\nnot this\n");
    client_options made = options();
    made.password_file = files_.file("secret");
    made.command_limit = 1s;
    client own{made};
    own.ping();
    probe_.must({"CONFIG", "SET", "requirepass", "changed"});
    probe_.must({"CLIENT", "KILL", "TYPE", "normal"});
    EXPECT_EQ(outcome_of([&] { own.ping(); }).code, errc::refused);
    write_file(files_.file("secret"), "changed");
    EXPECT_EQ(outcome_of([&] { own.ping(); }).message, "");
    EXPECT_EQ(
        ping_with(options(server_.unix_url() + "?password_file=" + made.password_file)).message,
        "");
}

TEST_F(password, is_read_from_the_environment)
{
    ::setenv("PAWL_TEST_SECRET", "sesame", 1);
    client_options made = options();
    made.password_env = "PAWL_TEST_SECRET";
    EXPECT_EQ(ping_with(made).message, "");
    EXPECT_EQ(ping_with(options(server_.url() + "?password_env=PAWL_TEST_SECRET")).message, "");
    ::unsetenv("PAWL_TEST_SECRET");
    const outcome told = ping_with(made);
    EXPECT_EQ(told.code, errc::refused);
    EXPECT_TRUE(says(told.message, "PAWL_TEST_SECRET"));
}

TEST_F(password, file_that_does_not_exist_is_named_in_the_error)
{
    client_options made = options();
    made.password_file = files_.file("nothing");
    const outcome told = ping_with(made);
    EXPECT_EQ(told.code, errc::refused);
    EXPECT_TRUE(says(told.message, made.password_file));
}

TEST_F(password, that_is_wrong_or_missing_is_refused_and_never_shown)
{
    client_options wrong = options();
    wrong.password = "wrong-password";
    const outcome told = ping_with(wrong);
    EXPECT_EQ(told.code, errc::refused);
    EXPECT_TRUE(says(told.message, "WRONGPASS"));
    nothing_is_shown(told.message);

    wrong.user = "clerk";
    EXPECT_EQ(ping_with(wrong).code, errc::refused);

    const outcome missing = ping_with(options());
    EXPECT_EQ(missing.code, errc::refused);
    EXPECT_TRUE(says(missing.message, "NOAUTH"));

    client own{wrong};
    mutex lock{own, "job", quick(10s)};
    const outcome at_lock = outcome_of([&] { lock.lock(); });
    EXPECT_EQ(at_lock.code, errc::refused);
    EXPECT_TRUE(says(at_lock.message, "job"));
    nothing_is_shown(at_lock.message);
}

TEST_F(password, that_is_refused_is_reported_at_once)
{
    client_options wrong = options();
    wrong.password = "wrong-password";
    client own{wrong};
    mutex lock{own, "job", quick(10s)};
    EXPECT_LT(time_of([&] { (void)outcome_of([&] { lock.lock(); }); }), slack);
}

TEST_F(password, withdrawn_while_a_lock_is_held_causes_jeopardy_with_cause_refused)
{
    client_options made = options();
    made.user = "clerk";
    made.password = "street";
    client own{made};
    mutex lock{own, "job", quick(600ms)};
    const hold held = lock.acquire();
    probe_.must({"ACL", "SETUSER", "clerk", "resetpass", ">other"});
    probe_.must({"CLIENT", "KILL", "USER", "clerk"});
    const event jeopardy = events_.first(hold_state::jeopardy, held.id());
    const event lost = events_.first(hold_state::lost, held.id());
    EXPECT_EQ(jeopardy.why, cause::refused);
    EXPECT_EQ(lost.why, cause::expired);
    nothing_is_shown();
}

class rights : public with_server {
protected:
    client_options as_clerk(const std::vector<std::string>& rule)
    {
        std::vector<std::string> words{"ACL", "SETUSER", "clerk", "reset", "on", ">street"};
        words.insert(words.end(), rule.begin(), rule.end());
        const redis_value reply = probe_.command(words);
        EXPECT_FALSE(reply.is_error()) << reply.text;
        client_options made = options();
        made.user = "clerk";
        made.password = "street";
        return made;
    }

    // Every operation that sends a request, with any outcome.
    void try_everything(client_options made)
    {
        made.shutdown_limit = 50ms;
        client own{made};
        for (const layout where : {layout::plain, layout::hash}) {
            recursive_mutex lock{own, "stock:42", quick(1s, where)};
            std::error_code ignored;
            hold held = lock.try_acquire(ignored).value_or(hold{});
            held.extend(2s, ignored);
            (void)lock.try_acquire(ignored);
            held.release(ignored);
            hold again = lock.try_acquire(ignored).value_or(hold{});
            probe_.must({"DEL", "stock:42"});
            (void)again.confirm(ignored);
            (void)hands_over(
                made, where, [&] { return is_queued(); }, [&] { return denials() > 0; });
        }
        // A waiter behind a foreign holder looks again from its place.
        probe_.must({"SET", "stock:44", "0123456789abcdef0123456789abcdef", "PX", "10000"});
        fair_mutex shared{own, "stock:44", quick(1s)};
        std::error_code told;
        for (int i = 0; i < 2; ++i) (void)shared.try_acquire_for(200ms, told);
        probe_.must({"DEL", "stock:44"});
        // These acquires are bare, once the server's clock has moved on since the client connected.
        mutex often{own, "stock:43", quick(1s)};
        for (int i = 0; i < 4; ++i) {
            std::error_code ignored;
            (void)often.try_acquire(ignored);
            std::this_thread::sleep_for(2ms);
        }
        try_permits(own);
        (void)outcome_of([&] { own.ping(); });
        made.database = 1;
        client elsewhere{made};
        (void)outcome_of([&] { elsewhere.ping(); });
    }

    static void try_permits(client& own)
    {
        std::error_code ignored;
        counting_semaphore seats{own, "stock:48", 3, quick(1s)};
        lock_options ends = quick(10ms);
        ends.renew = false;
        counting_semaphore brief{own, "stock:48", 3, ends};
        const hold first = brief.try_acquire(ignored).value_or(hold{});
        hold second = seats.try_acquire(ignored).value_or(hold{});
        std::this_thread::sleep_for(20ms);
        // The first lease has ended, so its member is removed.
        (void)seats.try_acquire(2, ignored);
        second.extend(2s, ignored);
        (void)second.confirm(ignored);
        second.release(ignored);
        seats.resize(2, ignored);
    }

    // One client has all permits and gives them back while another waits. Returns whether the other
    // got them.
    bool hands_over_permits(const client_options& made)
    {
        client one{made};
        client other{made};
        counting_semaphore first{one, "stock:45", 2, quick(10s)};
        counting_semaphore second{other, "stock:45", 2, quick(10s)};
        hold held = first.acquire(2);
        EXPECT_FALSE(second.try_acquire_for(20ms));  // it gives up and leaves the queue
        auto waiting =
            std::async(std::launch::async, [&] { return second.try_acquire_for(8s).has_value(); });
        EXPECT_TRUE(eventually([&] { return is_queued(); }));
        held.release();
        const bool got = waiting.get();
        probe_.must({"DEL", "stock:45"});
        return got;
    }

    using condition = std::function<bool()>;

    // One client holds a lock and releases it while another waits for it, as `waits` says. Returns
    // whether the other got it, unless `enough` became true before.
    bool hands_over(
        const client_options& made, layout where, const condition& waits,
        const condition& enough = [] { return false; })
    {
        client one{made};
        client other{made};
        mutex first{one, "stock:45", quick(10s, where)};
        fair_mutex second{other, "stock:45", quick(10s, where)};
        std::error_code ignored;
        hold held = first.try_acquire(ignored).value_or(hold{});
        (void)second.try_acquire_for(20ms, ignored);  // it gives up and leaves the queue
        EXPECT_TRUE(eventually([&] { return !is_queued() || enough(); }));
        std::stop_source stop;
        auto waiting = std::async(std::launch::async, [&] {
            std::error_code told;
            return second.try_acquire_for(8s, stop.get_token(), told).has_value();
        });
        const auto ended = [&] { return waiting.wait_for(0s) == std::future_status::ready; };
        EXPECT_TRUE(eventually([&] { return waits() || enough() || ended(); }));
        held.release(ignored);
        EXPECT_TRUE(eventually([&] { return enough() || ended(); }));
        stop.request_stop();
        return waiting.get();
    }

    bool hands_over_by_queue(const client_options& made, layout where)
    {
        return hands_over(made, where, [&] { return is_queued(); });
    }

    bool is_queued() { return probe_.exists("pawl:queue:{stock:45}"); }

    // One client lets a lock linger until another client wants it. Returns whether that client got
    // it.
    static bool is_given_up_when_wanted(const client_options& made, layout where)
    {
        client one{made};
        client other{made};
        lock_options lingering = quick(10s, where);
        lingering.linger = 1min;
        mutex first{one, "stock:46", lingering};
        mutex second{other, "stock:46", quick(10s, where)};
        for (int i = 0; i < 3; ++i) first.acquire().release();
        return second.try_acquire_for(patience).has_value();
    }

    std::size_t denials() { return probe_.must({"ACL", "LOG"}).items.size(); }
};

TEST_F(rights, of_the_smallest_rule_are_enough)
{
    const client_options made = as_clerk(smallest_rule());
    client own{made};
    use_everything(own);
    EXPECT_EQ(events_.count(hold_state::jeopardy), 0);
    try_everything(made);
    for (const layout where : {layout::plain, layout::hash}) {
        probe_.reset_stats();
        EXPECT_TRUE(hands_over_by_queue(made, where));
        EXPECT_GT(probe_.calls("rpush"), 0) << "there was a queue";
        EXPECT_GT(probe_.calls("lpop"), 0) << "and a hand-over";
        EXPECT_GT(probe_.calls("publish"), 0) << "and a message";
        EXPECT_TRUE(is_given_up_when_wanted(made, where));
    }
    EXPECT_TRUE(hands_over_permits(made));
    EXPECT_EQ(denials(), 0);
}

TEST_F(rights, of_the_smallest_rule_without_hashes_are_enough_for_a_semaphore)
{
    const client_options made = as_clerk(smallest_rule("hash layout"));
    client own{made};
    try_permits(own);
    EXPECT_TRUE(hands_over_permits(made));
    EXPECT_EQ(denials(), 0);
}

TEST_F(rights, of_the_smallest_rule_for_plain_locks_are_enough_for_them)
{
    std::vector<std::string> rule = smallest_rule("hash layout");
    std::erase_if(rule, [](const std::string& word) { return word.starts_with("+z"); });
    const client_options made = as_clerk(rule);
    client own{made};
    mutex lock{own, "stock:42", quick(2400ms)};
    hold held = lock.acquire();
    EXPECT_TRUE(held.confirm());
    held.extend(2500ms);
    EXPECT_TRUE(always(2s, [&] { return held.state() == hold_state::held; }));
    held.release();
    EXPECT_TRUE(hands_over_by_queue(made, layout::plain));
    EXPECT_TRUE(is_given_up_when_wanted(made, layout::plain));
    EXPECT_EQ(denials(), 0);
}

TEST_F(rights, of_the_smallest_rule_are_all_needed)
{
    const std::vector<std::string> rule = smallest_rule();
    for (std::size_t i = 0; i < rule.size(); ++i) {
        if (!contains("+~&", rule[i].substr(0, 1))) continue;
        std::vector<std::string> less = rule;
        less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
        probe_.must({"FLUSHALL"});
        probe_.must({"SCRIPT", "FLUSH"});
        probe_.must({"ACL", "LOG", "RESET"});
        try_everything(as_clerk(less));
        EXPECT_GT(denials(), 0) << rule[i] << " is not needed";
    }
}

TEST_F(rights, to_channels_are_not_needed_for_a_lock)
{
    const client_options made = as_clerk({"~*", "+@all", "resetchannels"});
    client own{made};
    use_everything(own);
    EXPECT_EQ(events_.count(hold_state::jeopardy), 0);
    for (const layout where : {layout::plain, layout::hash}) {
        // It polls, with pauses of at most 100 ms.
        probe_.reset_stats();
        const auto asks = [&] { return probe_.calls("evalsha") >= 10; };
        EXPECT_LT(time_of([&] { EXPECT_TRUE(hands_over(made, where, asks)); }), 2s);
        // A client that cannot hear that its lock is wanted does not let it linger.
        EXPECT_LT(time_of([&] { EXPECT_TRUE(is_given_up_when_wanted(made, where)); }), slack);
    }
    EXPECT_TRUE(probe_.keys("pawl:queue:*").empty())
        << "a client that cannot listen does not join the queue";
    EXPECT_GT(denials(), 0);
}

TEST_F(rights, to_channels_that_only_some_clients_lack_make_no_caller_wait_forever)
{
    client mute{as_clerk({"~*", "+@all", "resetchannels"})};
    client other{options()};
    mutex first{mute, "stock:47", quick(1500ms)};
    mutex second{other, "stock:47", quick(1500ms)};
    hold held = first.acquire();
    auto waiting = std::async(std::launch::async,
                              [&] { return second.try_acquire_for(patience).has_value(); });
    ASSERT_TRUE(eventually([&] { return probe_.exists("pawl:queue:{stock:47}"); }));
    EXPECT_LT(time_of([&] {
                  held.release();
                  EXPECT_TRUE(waiting.get());
              }),
              500ms + slack)
        << "a waiter looks every third of its lease";
}

TEST_F(rights, to_other_names_are_refused)
{
    client own{as_clerk(smallest_rule())};
    mutex lock{own, "staff:1", quick(10s)};
    const outcome told = outcome_of([&] { (void)lock.try_acquire(); });
    EXPECT_EQ(told.code, errc::refused);
    EXPECT_TRUE(says(told.message, "staff:1"));
    EXPECT_FALSE(probe_.exists("staff:1"));
}

TEST_F(rights, to_the_fence_are_needed_before_the_lock_is_taken)
{
    client own{as_clerk({"~stock:*", "resetchannels", "+@all"})};
    for (const layout where : {layout::plain, layout::hash}) {
        mutex lock{own, "stock:42", quick(10s, where)};
        EXPECT_EQ(outcome_of([&] { (void)lock.try_acquire(); }).code, errc::refused);
        EXPECT_FALSE(probe_.exists("stock:42"));
    }
}

TEST_F(rights, missing_in_the_middle_of_a_script_leave_nothing_behind)
{
    for (const char* missing : {"+time", "+pexpire", "+set", "+hset"}) {
        std::vector<std::string> rule = smallest_rule();
        std::erase(rule, missing);
        client own{as_clerk(rule)};
        for (const layout where : {layout::plain, layout::hash}) {
            mutex lock{own, "stock:42", quick(1min, where)};
            (void)outcome_of([&] { (void)lock.try_acquire(); });
            EXPECT_TRUE(eventually(2s, [&] { return !probe_.exists("stock:42"); }))
                << "without " << missing << " a lock stays for " << probe_.ttl("stock:42").count()
                << " ms";
            probe_.must({"DEL", "stock:42"});
        }
    }
}

TEST_F(rights, missing_for_a_command_inside_a_script_are_refused)
{
    client own{as_clerk({"~*", "resetchannels", "-@all", "+eval", "+evalsha"})};
    mutex lock{own, "stock:42", quick(10s)};
    EXPECT_EQ(outcome_of([&] { (void)lock.try_acquire(); }).code, errc::refused);
}

class server_settings : public testing::Test {};

TEST_F(server_settings, a_server_without_hello_is_used_with_the_old_protocol)
{
    redis_server server{{.config = {"rename-command HELLO \"\"", "requirepass sesame"}}};
    client_options made;
    made.url = server.unix_url() + "?name=old-friend&db=3";
    made.password = "sesame";
    client own{made};
    use_everything(own);
    mutex lock{own, "stock:42", quick(10s)};
    const hold held = lock.acquire();
    redis_probe probe = server.probe();
    probe.must({"AUTH", "sesame"});
    for (const std::string& one : probe.client_list()) {
        EXPECT_TRUE(says(one, "name=old-friend"));
        EXPECT_TRUE(says(one, "resp=2"));
        EXPECT_TRUE(says(one, "db=3"));
    }
}

TEST_F(server_settings, a_server_that_accepts_no_more_clients_is_unreachable)
{
    redis_server server{{.config = {"maxclients 1"}}};
    client_options made;
    made.url = server.unix_url();
    made.command_limit = 300ms;
    client own{made};
    std::optional<redis_probe> probe = server.probe();
    probe->must({"PING"});
    EXPECT_EQ(outcome_of([&] { own.ping(); }).code, errc::unreachable);
    probe.reset();
    EXPECT_TRUE(eventually([&] { return !outcome_of([&] { own.ping(); }).code; }));
}

class database : public with_server {};

TEST_F(database, is_chosen_by_the_url_or_the_options)
{
    client_options by_option = options();
    by_option.database = 5;
    client first{by_option};
    client second{options(server_.url() + "/6")};
    client third{options(server_.unix_url() + "?db=7")};
    mutex in_first{first, "job", quick(10s)};
    mutex in_second{second, "job", quick(10s)};
    mutex in_third{third, "job", quick(10s)};
    const hold one = in_first.acquire();
    const hold two = in_second.acquire();
    const hold three = in_third.acquire();
    for (const auto& [number, id] :
         {std::pair{"5", one.id()}, {"6", two.id()}, {"7", three.id()}}) {
        probe_.must({"SELECT", number});
        EXPECT_EQ(probe_.get("job"), id);
    }
}

TEST_F(database, in_the_options_wins_over_the_url)
{
    client_options both = options(server_.url() + "/6");
    both.database = 5;
    client own{both};
    mutex lock{own, "job", quick(10s)};
    const hold held = lock.acquire();
    probe_.must({"SELECT", "5"});
    EXPECT_EQ(probe_.get("job"), held.id());
}

TEST_F(database, that_does_not_exist_is_refused)
{
    client own{options(server_.url() + "/99")};
    const outcome told = outcome_of([&] { own.ping(); });
    EXPECT_EQ(told.code, errc::refused);
}

TEST_F(database, is_chosen_again_after_a_reconnect)
{
    client own{options(server_.url() + "/6")};
    mutex lock{own, "job", quick(600ms)};
    hold held = lock.acquire();
    probe_.must({"CLIENT", "KILL", "TYPE", "normal"});
    EXPECT_TRUE(always(1200ms, [&] { return !held.lost().stop_requested(); }));
    EXPECT_TRUE(held.confirm());
}

class connection_name : public with_server {};

TEST_F(connection_name, names_the_host_and_the_process)
{
    client own{options()};
    own.ping();
    EXPECT_TRUE(says(probe_.client_list().at(0), "name=pawl:"));
    EXPECT_TRUE(says(probe_.client_list().at(0), ":" + std::to_string(::getpid()) + " "));
    EXPECT_TRUE(says(probe_.client_list().at(0), "resp=3"));
}

TEST_F(connection_name, can_be_chosen)
{
    client_options made = options();
    made.name = "stock-service";
    client own{made};
    own.ping();
    EXPECT_TRUE(says(probe_.client_list().at(0), "name=stock-service"));
}

}  // namespace
}  // namespace pawl::test
