#include "doctor/side_lines.h"

#include "redis/url_text.h"
#include "store/blocking_call.h"
#include "store/redis/reading.h"
#include "store/survey.h"

#include <functional>
#include <utility>

namespace pawl::doctor {

using redis::channel_command;

redis::server_config config_of(const redis::deployment& where, std::string_view server)
{
    using kind = redis::deployment::kind;
    if (where.what == kind::one_server) return where.servers.front();
    for (const auto& each : where.servers) {
        if (where.what == kind::quorum && each.shown == server) return each;
    }
    auto config = where.found;
    config.shown = server;
    redis::read_host(server, config.where);
    return config;
}

// Subscribes once, on the first connection, and says when it knows the outcome.
class side_lines::listener final : public redis::channel_listener {
public:
    listener(redis::transport& way, std::string channel, bool sharded, std::function<void()> done)
        : way_{&way}, channel_{std::move(channel)}, sharded_{sharded}, done_{std::move(done)}
    {
    }

    [[nodiscard]] const listening_rights& rights() const noexcept { return got_; }

    void begin()
    {
        way_->watch_channels(*this);
        way_->connect();
    }

    void connected(const redis::server_facts& server) override
    {
        if (!server.resp3) return finish();
        way_->send_channel_command(
            sharded_ ? channel_command::ssubscribe : channel_command::subscribe, channel_);
    }
    void disconnected(const redis::failure& /*why*/) override { finish(); }
    void subscribed(std::string_view /*channel*/) override { has_subscribed(verdict::allowed); }
    void refused(std::string_view /*channel*/, const redis::failure& why) override
    {
        store::command_reply reply;
        reply.problem = store::failure_of(why);
        const auto what = verdict_of(reply);
        if (got_.subscribe == verdict::unknown) return has_subscribed(what);
        got_.unsubscribe = what;
        finish();
    }
    void unsubscribed(std::string_view /*channel*/) override
    {
        got_.unsubscribe = verdict::allowed;
        finish();
    }
    void heard(std::string_view /*message*/) override {}

private:
    // A slot of another node is refused too, after the rights were checked.
    void has_subscribed(verdict what)
    {
        got_.subscribe = what;
        if (!sharded_) return finish();
        way_->send_channel_command(channel_command::sunsubscribe, channel_);
    }

    void finish()
    {
        if (done_) std::exchange(done_, nullptr)();
    }

    redis::transport* way_;
    std::string channel_;
    bool sharded_;
    std::function<void()> done_;
    listening_rights got_;
};

side_lines::side_lines(base::platform& platform, const std::vector<redis::server_config>& to,
                       std::chrono::milliseconds limit)
    : platform_{&platform}, limit_{limit}, loop_{platform}
{
    for (const auto& each : to) {
        ways_.push_back(std::make_unique<redis::socket_transport>(
            loop_, each, 1, redis::transport::limits{.connect = limit, .command = limit}));
    }
    loop_.start();
}

side_lines::~side_lines()
{
    loop_.stop();
}

std::vector<store::server_answer> side_lines::ask(const std::vector<store::command>& commands)
{
    std::vector<store::survey::target> targets;
    targets.reserve(ways_.size());
    for (const auto& each : ways_)
        targets.push_back({each.get(), {.server = {}, .commands = commands}});
    return store::survey::ask({*platform_, loop_, limit_}, targets, platform_->now() + limit_);
}

std::vector<listening_rights> side_lines::try_listening(const std::string& channel, bool sharded)
{
    using all = std::vector<listening_rights>;
    if (ways_.empty()) return {};
    const auto begin = [this, channel, sharded](std::function<void(all)> done) {
        auto open = std::make_shared<std::size_t>(ways_.size());
        const auto finish = [this, done = std::move(done)] {
            all got;
            for (const auto& each : listeners_) got.push_back(each->rights());
            done(std::move(got));
        };
        for (const auto& each : ways_) {
            listeners_.push_back(
                std::make_unique<listener>(*each, channel, sharded, [open, finish] {
                    if (--*open == 0) finish();
                }));
        }
        // Those that are silent count as unknown then.
        loop_.call_at(platform_->now() + limit_, [open, finish] {
            if (*open > 0) finish();
        });
        for (const auto& each : listeners_) each->begin();
    };
    constexpr std::chrono::milliseconds slack{200};
    auto got = store::blocking_call<all>::run(*platform_, loop_, begin,
                                              platform_->now() + limit_ + slack, nullptr);
    return got ? std::move(*got) : all(ways_.size());
}

}  // namespace pawl::doctor
