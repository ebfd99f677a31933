// The requests to a node of a quorum, with a real server.
#include "base/event_loop.h"
#include "base/platform.h"
#include "integration/fixture.h"
#include "redis/socket_transport.h"
#include "store/redis/single_server.h"
#include "support/eventually.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

namespace pawl::test {
namespace {

constexpr std::string_view client_id = "c0c0c0c0c0c0c0c0";

class ears final : public store::notice_listener {
public:
    void granted(const core::grant_notice& what) override
    {
        const std::scoped_lock guard{mutex_};
        grants_.push_back(what);
    }
    void wanted(std::string_view /*lock*/) override {}
    void listening(bool now) override { listens_ = now; }

    [[nodiscard]] bool listens() const { return listens_; }
    [[nodiscard]] std::vector<core::grant_notice> grants() const
    {
        const std::scoped_lock guard{mutex_};
        return grants_;
    }

private:
    std::atomic<bool> listens_{false};
    mutable std::mutex mutex_;
    std::vector<core::grant_notice> grants_;
};

class node : public with_server {
protected:
    node()
    {
        client_options options;
        options.url = server_.unix_url();
        auto config = redis::read_config(options);
        config.wants_run_id = true;
        store_.emplace(platform_,
                       std::make_unique<redis::socket_transport>(
                           loop_, config, 1, redis::transport::limits{10s, 10s}),
                       0.01, store::server_settings{.quarantine = quarantine});
        loop_.start();
    }
    ~node() override { loop_.stop(); }

    void listen()
    {
        loop_.post([this] { store_->listen(client_id, ears_); });
        ASSERT_TRUE(eventually([this] { return ears_.listens(); }));
    }

    // The node has been one for long.
    void establish()
    {
        const auto info = probe_.must({"INFO", "server"}).text;
        const auto at = info.find("run_id:") + 7;
        probe_.must({"SET", "pawl:node", info.substr(at, 40) + " 0000000000000"});
    }

    template <class Request>
    typename Request::reply ask(Request what)
    {
        what.sent = platform_->now();
        return std::get<typename Request::reply>(
            store_->execute(core::node_request{what}, what.sent + 10s, nullptr));
    }
    core::vote_reply vote(std::string_view holder, std::int64_t ticket, std::uint64_t proposal = 7)
    {
        return ask(core::vote_request{.mine = {&lock_, holder},
                                      .lease = 60s,
                                      .until = platform_->now() + 10s,
                                      .wait = 60s,
                                      .order = {core::node_time{ticket}},
                                      .client = client_id,
                                      .proposal = proposal});
    }
    // `used` is the last number of a hold that has set numbers aside; 0: it has none.
    core::hold_status give_back(std::string_view holder, std::uint64_t used = 0)
    {
        return std::get<core::hold_status>(
            ask(core::return_request{.mine = {&lock_, holder},
                                     .used = used,
                                     .has_reserve = used > 0,
                                     .proposal = 4'000'000'000'000'000}));
    }
    core::restored restore(std::string_view holder)
    {
        const auto got =
            ask(core::restore_request{.all = {{.mine = {&lock_, holder},
                                               .lease = 60s,
                                               .number = 4'000'000'000'000'001,
                                               .held_until = platform_->now() + 60s,
                                               .vote_until = platform_->now() + 60s}}});
        return std::get<core::restored>(got.all.at(0));
    }
    [[nodiscard]] bool is_in_quarantine(std::string_view holder)
    {
        const auto got = vote(holder, 1);
        const auto* const waits = std::get_if<core::waits>(&got);
        return waits != nullptr && waits->why == core::waits::reason::quarantine;
    }

    static constexpr std::chrono::milliseconds quarantine{61'000};
    core::object lock_{.name = "job"};
    ears ears_;
    std::shared_ptr<base::system_platform> platform_ = std::make_shared<base::system_platform>();
    base::event_loop loop_{*platform_};
    std::optional<store::single_server> store_;
};

TEST_F(node, votes_once_and_hands_the_vote_over_to_the_smallest_ticket)
{
    establish();
    listen();
    EXPECT_GT(std::get<core::voted>(vote("first", 100)).number, 1'700'000'000'000'000U);
    EXPECT_TRUE(std::get<core::voted>(vote("first", 100)).found);
    EXPECT_TRUE(std::get<core::waits>(vote("late", 300)).placed);
    EXPECT_TRUE(std::get<core::waits>(vote("early", 200)).placed);
    EXPECT_TRUE(
        std::get<core::raised>(ask(core::raise_request{.mine = {&lock_, "first"}, .number = 1}))
            .others_wait);
    EXPECT_EQ(give_back("first"), core::hold_status::done);
    EXPECT_EQ(probe_.get("job"), "early");
    ASSERT_TRUE(eventually([this] { return !ears_.grants().empty(); }));
    const auto told = ears_.grants().front();
    EXPECT_EQ(told.holder, "early");
    EXPECT_EQ(told.fence, 4'000'000'000'000'000U);
    EXPECT_LE(told.at, platform_->now());
    EXPECT_GT(told.at, platform_->now() - 60s);
    EXPECT_EQ(give_back("first"), core::hold_status::taken);
}

TEST_F(node, keeps_or_gives_a_vote_that_is_handed_back)
{
    establish();
    listen();
    const auto number = std::get<core::voted>(vote("b", 200)).number;
    const auto hand_back = [&] {
        return std::get<core::handed_back>(
                   ask(core::hand_back_request{.mine = {&lock_, "b"},
                                               .number = number,
                                               .proposal = 4'000'000'000'000'000,
                                               .order = {core::node_time{200}},
                                               .wait = 60s,
                                               .lease = 60s,
                                               .client = client_id}))
            .what;
    };
    EXPECT_EQ(hand_back(), core::handed_back::outcome::kept);
    static_cast<void>(vote("a", 100));
    EXPECT_EQ(hand_back(), core::handed_back::outcome::given);
    EXPECT_EQ(probe_.get("job"), "a");
    EXPECT_EQ(hand_back(), core::handed_back::outcome::other);
    EXPECT_EQ(give_back("a"), core::hold_status::done);
    EXPECT_EQ(probe_.get("job"), "b");
}

TEST_F(node, does_not_vote_when_it_is_new_was_flushed_or_was_started_again)
{
    EXPECT_TRUE(is_in_quarantine("x"));
    establish();
    EXPECT_FALSE(is_in_quarantine("x"));
    probe_.must({"FLUSHALL"});
    EXPECT_TRUE(is_in_quarantine("y"));
    establish();
    server_.restart();
    probe_ = server_.probe();
    EXPECT_TRUE(eventually([this] { return is_in_quarantine("y"); }));
}

TEST_F(node, restores_the_vote_of_a_holder_in_quarantine)
{
    establish();
    static_cast<void>(vote("holder", 100));
    probe_.must({"FLUSHALL"});
    EXPECT_TRUE(is_in_quarantine("other"));
    const auto got = restore("holder");
    EXPECT_EQ(got.what, core::hold_status::done);
    EXPECT_TRUE(got.again);
    EXPECT_FALSE(restore("holder").again);
    EXPECT_EQ(restore("other").what, core::hold_status::taken);
    EXPECT_EQ(give_back("holder"), core::hold_status::done);
    EXPECT_EQ(probe_.get("pawl:fence:{job}"), "4000000000000001");
}

TEST_F(node, gives_back_and_restores_when_memory_is_full)
{
    establish();
    listen();
    static_cast<void>(vote("b", 200));
    static_cast<void>(vote("a", 100));
    probe_.must({"CONFIG", "SET", "maxmemory", "1"});
    EXPECT_EQ(std::get<core::failure>(vote("c", 300)).what, core::failure_kind::refused);
    EXPECT_EQ(give_back("b"), core::hold_status::done);
    EXPECT_EQ(probe_.get("job"), "a");
    probe_.must({"DEL", "job"});
    EXPECT_TRUE(restore("a").again);
    EXPECT_EQ(give_back("a", 4'000'000'000'000'001), core::hold_status::done) << "nobody waits";
    EXPECT_FALSE(probe_.exists("job"));
    probe_.must({"CONFIG", "SET", "maxmemory", "0"});
}

}  // namespace
}  // namespace pawl::test
