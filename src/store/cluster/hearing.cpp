#include "store/cluster/hearing.h"

#include "redis/resp.h"
#include "store/redis/message.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace pawl::store {
namespace {

constexpr std::chrono::seconds watch_interval{1};

// Subscriptions beyond this number are ended when they were not needed for `unused_for`.
constexpr std::size_t many_channels = 1'000;
constexpr std::chrono::seconds unused_for{60};
constexpr std::chrono::seconds sweep_interval{1};

}  // namespace

hearing::hearing(const base::platform& platform, base::scheduler& loop, redis::transport& way,
                 handlers told)
    : platform_{platform}, loop_{loop}, way_{way}, told_{std::move(told)}
{
}

std::vector<std::string> hearing::keys_of(const hearing_need& what) const
{
    if (mode_ == mode::plain) return {std::string{}};
    return what.tags;
}

std::string hearing::name_of(const std::string& key) const
{
    return key.empty() ? channel_of(client_) : channel_of(client_, key);
}

std::string hearing::key_in(std::string_view name) const
{
    if (mode_ == mode::plain) return {};
    // pawl:client:{TAG}:ID16
    const auto outside = channel_of(client_, "").size();
    if (name.size() <= outside) return {};
    return std::string{name.substr(channel_of("").size(), name.size() - outside)};
}

hearing::state hearing::look_at(const hearing_need& what)
{
    auto got = state::hears;
    for (const auto& key : keys_of(what)) {
        const auto found = channels_.find(key);
        if (found == channels_.end() || found->second.now == channel::stage::leaving) {
            return state::deaf;
        }
        if (found->second.now != channel::stage::subscribed) got = state::pending;
    }
    return got;
}

void hearing::note(channel& which, base::boot_time until)
{
    which.needed_until = std::max(which.needed_until, until);
    needed_until_ = std::max(needed_until_, until);
}

hearing::state hearing::look(const hearing_need& what)
{
    const auto now = platform_.now();
    auto got = state::deaf;
    bool was_idle = false;
    {
        const common::scoped_lock guard{mutex_};
        got = look_at(what);
        if (got != state::hears) return got;
        was_idle = needed_until_ <= now;
        for (const auto& key : keys_of(what)) note(channels_[key], now + what.lasts);
    }
    if (was_idle) loop_.post([this] { watch(); });
    return got;
}

void hearing::want(std::string_view client, const hearing_need& what)
{
    const auto now = platform_.now();
    bool sweep = false;
    {
        const common::scoped_lock guard{mutex_};
        client_ = client;
        for (const auto& key : keys_of(what)) {
            auto& each = channels_[key];
            if (each.now == channel::stage::leaving) each.now = channel::stage::wanted;
            note(each, now + what.lasts);
        }
        sweep = channels_.size() > many_channels && now >= next_sweep_;
        if (sweep) next_sweep_ = now + sweep_interval;
    }
    loop_.post([this, sweep] {
        subscribe_wanted();
        if (sweep) end_unused();
        watch();
    });
}

hearing::state hearing::wait(const hearing_need& what, base::boot_time until,
                             const base::interrupt* stop)
{
    const auto left = until - platform_.now();
    const auto by = std::chrono::steady_clock::now() + std::max(left, left.zero());
    const auto token = stop != nullptr ? stop->token() : std::stop_token{};
    common::unique_lock held{mutex_};
    const auto settled = [&]() PAWL_REQUIRES(mutex_) { return look_at(what) != state::pending; };
    static_cast<void>(changed_.wait_until(held, token, by, settled));
    return look_at(what);
}

void hearing::when_settled(hearing_need what, std::function<void(state)> done)
{
    waiters_.push_back({std::move(what), std::move(done)});
    loop_.post([this] { settle(); });
}

// Tells those whose channels are not pending any more.
void hearing::settle()
{
    changed_.notify_all();
    std::vector<std::pair<std::function<void(state)>, state>> settled;
    {
        const common::scoped_lock guard{mutex_};
        std::erase_if(waiters_, [&](waiter& each) PAWL_REQUIRES(mutex_) {
            const auto now = look_at(each.what);
            if (now == state::pending) return false;
            settled.emplace_back(std::move(each.done), now);
            return true;
        });
    }
    for (const auto& [done, now] : settled) done(now);
}

void hearing::subscribe_wanted()
{
    std::vector<std::string> names;
    auto how = redis::channel_command::ssubscribe;
    bool connect = false;
    bool cannot = false;
    bool doubts = false;
    {
        const common::scoped_lock guard{mutex_};
        const bool any = std::ranges::any_of(
            channels_, [](const auto& each) { return each.second.now == channel::stage::wanted; });
        if (!any) return;
        connect = mode_ == mode::unknown;
        cannot = mode_ == mode::none;
        doubts = doubts_role_;
        if (cannot) channels_.clear();
        if (mode_ == mode::plain) how = redis::channel_command::subscribe;
        for (auto& [key, each] : channels_) {
            if (connect || doubts || each.now != channel::stage::wanted) continue;
            each.now = channel::stage::asked;
            names.push_back(name_of(key));
        }
    }
    if (connect) way_.connect();
    if (doubts) ask_role();
    for (const auto& each : names) way_.send_channel_command(how, each);
    if (!cannot) return;
    settle();
    told_.refused();
}

// A waiter looks three times in the time for which it is needed, so nobody waits in these channels.
void hearing::end_unused()
{
    std::vector<std::string> names;
    {
        const auto now = platform_.now();
        const common::scoped_lock guard{mutex_};
        for (auto& [key, each] : channels_) {
            const bool ends = mode_ == mode::sharded && each.now == channel::stage::subscribed &&
                              each.needed_until + unused_for < now;
            if (!ends) continue;
            each.now = channel::stage::leaving;
            names.push_back(name_of(key));
        }
    }
    for (const auto& each : names)
        way_.send_channel_command(redis::channel_command::sunsubscribe, each);
}

void hearing::connected(const redis::server_facts& server)
{
    {
        const common::scoped_lock guard{mutex_};
        // The handshake has checked that it is a primary.
        doubts_role_ = false;
        mode_ = mode::none;
        if (server.resp3) mode_ = server.shards_channels() ? mode::sharded : mode::plain;
        if (mode_ == mode::plain && !channels_.empty()) {
            channel one;
            for (const auto& [key, each] : channels_) note(one, each.needed_until);
            channels_ = {{std::string{}, one}};
        }
    }
    subscribe_wanted();
}

void hearing::disconnected(const redis::failure& /*why*/)
{
    bool heard_before = false;
    asking_role_ = false;
    if (watch_) loop_.cancel(*std::exchange(watch_, std::nullopt));
    {
        const common::scoped_lock guard{mutex_};
        mode_ = mode::unknown;
        doubts_role_ = false;
        heard_before = std::ranges::any_of(channels_, [](const auto& each) {
            return each.second.now == channel::stage::subscribed;
        });
        channels_.clear();
    }
    settle();
    if (heard_before) told_.missed();
}

void hearing::subscribed(std::string_view name)
{
    {
        const common::scoped_lock guard{mutex_};
        const auto found = channels_.find(key_in(name));
        if (found == channels_.end() || found->second.now != channel::stage::asked) return;
        found->second.now = channel::stage::subscribed;
    }
    settle();
    watch();
}

void hearing::refused(std::string_view name, const redis::failure& why)
{
    {
        const common::scoped_lock guard{mutex_};
        channels_.erase(key_in(name));
    }
    settle();
    if (why.what == redis::failure_kind::refused) told_.refused();
}

// The answer to our own command and the server's decision look the same. While someone needs the channel, we send no
// such command.
void hearing::unsubscribed(std::string_view name)
{
    bool was_subscribed = false;
    {
        const common::scoped_lock guard{mutex_};
        const auto found = channels_.find(key_in(name));
        if (found == channels_.end()) return;
        was_subscribed = found->second.now == channel::stage::subscribed;
        if (was_subscribed || found->second.now == channel::stage::leaving) channels_.erase(found);
        doubts_role_ = doubts_role_ || was_subscribed;
    }
    if (!was_subscribed) return;
    settle();
    told_.missed();
}

void hearing::heard(std::string_view message)
{
    bool sharded = false;
    {
        const common::scoped_lock guard{mutex_};
        sharded = mode_ == mode::sharded;
    }
    told_.heard(message, sharded);
}

void hearing::doubt()
{
    ask_node();
}

// While someone waits, the connection is used once a second: otherwise nobody would notice that it is dead.
void hearing::watch()
{
    const auto now = platform_.now();
    {
        const common::scoped_lock guard{mutex_};
        if (watch_ || mode_ == mode::unknown || channels_.empty() || needed_until_ <= now) return;
    }
    watch_ = loop_.call_at(now + watch_interval, [this] {
        watch_.reset();
        ask_node();
        watch();
    });
}

// Nothing else tells of a demotion before 7.0.
void hearing::ask_node()
{
    auto now = mode::unknown;
    {
        const common::scoped_lock guard{mutex_};
        now = mode_;
    }
    if (now == mode::plain) ask_role();
    if (now != mode::sharded) return;
    way_.submit(
        [](const auto&, auto& out) {
            redis::append_request(out, std::array<std::string_view, 1>{"PING"});
            return 1U;
        },
        watch_interval, [](const auto*, const auto*) {});
}

void hearing::ask_role()
{
    if (std::exchange(asking_role_, true)) return;
    way_.submit(
        [](const auto&, auto& out) {
            redis::append_request(out, std::array<std::string_view, 1>{"ROLE"});
            return 1U;
        },
        watch_interval,
        [this](const auto* reply, const auto*) {
            if (reply == nullptr) return;  // the connection has broken
            asking_role_ = false;
            const bool primary =
                reply->is_aggregate() && reply->size() > 0 && (*reply)[0].text() == "master";
            if (!primary) {
                // Without the right to ask, too: a new connection is told the role. Later, because the connection
                // must not be closed while its replies are read.
                loop_.post([this] { way_.hang_up(); });
                return;
            }
            {
                const common::scoped_lock guard{mutex_};
                doubts_role_ = false;
            }
            subscribe_wanted();
        });
}

}  // namespace pawl::store
