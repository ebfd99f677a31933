#include "sim/server.h"

#include "redis/resp.h"
#include "store/redis/keys.h"
#include "store/redis/storage.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace pawl::sim {

using std::chrono::microseconds;
using std::chrono::milliseconds;

namespace {

// The scores are whole numbers.
std::int64_t number_of(std::string_view text)
{
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

}  // namespace

server::server(world& world, drifting_clock clock, unsigned number)
    : world_{&world}, clock_{clock}, number_{number}, engine_{[this] { return this->clock(); }}
{
    engine_.on_push([this](store::memory::session to, std::string_view push) {
        if (witness_ != nullptr) witness_->told(push);
        const auto found = listeners_.find(to);
        if (found != listeners_.end()) found->second(push);
    });
}

microseconds server::clock() const
{
    return std::chrono::floor<microseconds>(clock_.at(world_->now()) + step_);
}

std::string server::run_id_for(const peer& who) const
{
    return "run:" + std::to_string(number_) + ":" + std::to_string(who.incarnation);
}

void server::establish()
{
    static_cast<void>(
        ask({"SET", store::node_key, run_id_for({incarnation_, 0}) + " 0000000000000"}));
}

void server::receive(peer from, std::string request, answer done)
{
    if (!up_ || from.incarnation != incarnation_) return;
    waiting what{from, std::move(request), std::move(done)};
    if (frozen_) {
        queue_.push_back(std::move(what));
    } else {
        execute(std::move(what));
    }
}

void server::execute(waiting what)
{
    redis::reply_parser parser;
    std::string replies;
    for (std::string_view rest = what.request; !rest.empty();) {
        static_cast<void>(parser.parse(rest));
        std::vector<std::string_view> words;
        parser.reply(rest).for_each([&](const auto& word) { words.push_back(word.text()); });
        replies += execute(what.from.session, words);
        rest.remove_prefix(parser.consumed());
        parser.reset();
    }
    what.done(std::move(replies));
}

std::string server::execute(store::memory::session from, const std::vector<std::string_view>& words)
{
    const bool subscribes = words[0] == "SUBSCRIBE";
    // While it loads its data, a server accepts subscriptions.
    if (world_->now() < loading_until_ && !subscribes) {
        return "-LOADING Redis is loading the dataset in memory\r\n";
    }
    if (witness_ != nullptr) witness_->before(words);
    std::string reply;
    engine_.execute(from, rewrite_ ? rewritten(words) : words, reply);
    if (subscribes && !listeners_.contains(from)) engine_.disconnect(from);
    if (witness_ != nullptr) witness_->after(words, reply);
    return reply;
}

std::vector<std::string_view> server::rewritten(std::vector<std::string_view> words)
{
    if (words[0] == "EVAL") {
        const auto [found, fresh] = changed_texts_.try_emplace(std::string{words[1]});
        if (fresh) found->second = rewrite_(words[1]);
        changed_names_[name_of_script(words[1])] = name_of_script(found->second);
        words[1] = found->second;
    } else if (words[0] == "EVALSHA") {
        const auto found = changed_names_.find(words[1]);
        if (found != changed_names_.end()) words[1] = found->second;
    }
    return words;
}

std::string server::name_of_script(std::string_view text)
{
    redis::reply_parser parser;
    const auto reply = ask({"SCRIPT", "LOAD", text});
    static_cast<void>(parser.parse(reply));
    return std::string{parser.reply(reply).text()};
}

void server::on_push(const peer& to, delivery deliver)
{
    listeners_[to.session] = std::move(deliver);
}

void server::forget(const peer& who)
{
    listeners_.erase(who.session);
    engine_.disconnect(who.session);
}

void server::thaw()
{
    frozen_ = false;
    for (auto& each : std::exchange(queue_, {})) execute(std::move(each));
}

void server::go_down()
{
    up_ = false;
    frozen_ = false;
    queue_.clear();
    for (const auto& [session, deliver] : std::exchange(listeners_, {})) {
        engine_.disconnect(session);
    }
    ++incarnation_;
}

void server::take_snapshot()
{
    snapshot_ = engine_.save();
}

void server::restore_snapshot()
{
    if (snapshot_) engine_.restore(*snapshot_);
}

void server::erase(std::string_view key)
{
    static_cast<void>(ask({"DEL", key}));
}

void server::let_someone_look_on()
{
    static_cast<void>(ask({"PSUBSCRIBE", "*"}));
}

std::string server::ask(const std::vector<std::string_view>& words)
{
    std::string reply;
    engine_.execute(0, words, reply);
    return reply;
}

std::optional<std::string> server::holder_of(std::string_view key)
{
    redis::reply_parser parser;
    auto reply = ask({"GET", key});
    if (reply.starts_with('-')) reply = ask({"HGETALL", key});
    if (reply.starts_with('-')) reply = ask({"LINDEX", key, "0"});
    static_cast<void>(parser.parse(reply));
    const auto view = parser.reply(reply);
    if (view.is_null() || view.is_error()) return std::nullopt;
    if (!view.is_aggregate()) return std::string{view.text()};
    return view.size() == 0 ? std::nullopt : std::optional{std::string{view[0].text()}};
}

std::optional<server::term> server::term_of(std::string_view key)
{
    redis::reply_parser parser;
    const auto reply = ask({"LRANGE", key, "0", "2"});
    static_cast<void>(parser.parse(reply));
    const auto view = parser.reply(reply);
    if (!view.is_aggregate() || view.size() < 3) return std::nullopt;
    return term{std::string{view[0].text()}, std::string{view[1].text()},
                static_cast<std::uint64_t>(number_of(view[2].text()))};
}

server::members server::members_of(std::string_view key)
{
    redis::reply_parser parser;
    const auto reply = ask({"ZRANGEBYSCORE", key, "-inf", "+inf", "WITHSCORES"});
    static_cast<void>(parser.parse(reply));
    const auto view = parser.reply(reply);
    members found;
    if (view.is_error()) return found;  // not a set of members
    view.for_each([&found](const auto& pair) {
        const auto name = pair[0].text();
        const auto score = number_of(pair[1].text());
        const auto holder = store::holder_in(name);
        if (name == "out") found.out = static_cast<std::uint64_t>(-score);
        if (name == "capacity" || name == "resized") {
            found.capacity = static_cast<std::uint64_t>(-score);
        }
        if (name == "resize_number") found.resize = static_cast<std::uint64_t>(-score);
        if (holder.size() == name.size()) return;  // a number
        found.all.push_back(
            {.holder = std::string{holder},
             .weight = static_cast<std::uint64_t>(number_of(name.substr(holder.size()))),
             .ends = milliseconds{score}});
    });
    return found;
}

std::vector<std::string> server::holders_of(std::string_view key)
{
    std::vector<std::string> found;
    if (auto one = holder_of(key)) found.push_back(std::move(*one));
    for (auto& each : members_of(key).all) {
        if (clock() < each.ends) found.push_back(std::move(each.holder));
    }
    return found;
}

milliseconds server::time_held(std::string_view key)
{
    if (holder_of(key)) return ttl_of(key);
    const auto now = std::chrono::floor<milliseconds>(clock());
    milliseconds longest{0};
    for (const auto& each : members_of(key).all) longest = std::max(longest, each.ends - now);
    return longest;
}

std::chrono::milliseconds server::ttl_of(std::string_view key)
{
    redis::reply_parser parser;
    const auto reply = ask({"PTTL", key});
    static_cast<void>(parser.parse(reply));
    return std::chrono::milliseconds{parser.reply(reply).integer()};
}

std::uint64_t server::number_in(std::string_view key)
{
    redis::reply_parser parser;
    const auto reply = ask({"GET", key});
    static_cast<void>(parser.parse(reply));
    return static_cast<std::uint64_t>(number_of(parser.reply(reply).text()));
}

std::map<std::string, std::string, std::less<>> server::fields_of(std::string_view key)
{
    redis::reply_parser parser;
    const auto reply = ask({"HGETALL", key});
    static_cast<void>(parser.parse(reply));
    const auto view = parser.reply(reply);
    std::map<std::string, std::string, std::less<>> found;
    if (view.is_error()) return found;
    for (std::size_t i = 0; i + 1 < view.size(); i += 2) {
        found.emplace(view[i].text(), view[i + 1].text());
    }
    return found;
}

std::vector<server::waiter> server::waiters_in(std::string_view queue)
{
    redis::reply_parser parser;
    const auto reply = ask({"LRANGE", queue, "0", "-1"});
    static_cast<void>(parser.parse(reply));
    std::vector<waiter> found;
    bool is_holder = false;
    parser.reply(reply).for_each([&](const auto& each) {
        is_holder = !is_holder;
        if (is_holder) {
            found.push_back({std::string{each.text()}, {}});
        } else {
            found.back().place = each.text();
        }
    });
    return found;
}

std::vector<std::string> server::keys()
{
    redis::reply_parser parser;
    const auto reply = ask({"KEYS", "*"});
    static_cast<void>(parser.parse(reply));
    std::vector<std::string> found;
    parser.reply(reply).for_each([&](const auto& key) { found.emplace_back(key.text()); });
    return found;
}

std::vector<std::string> server::tickets_in(std::string_view key)
{
    redis::reply_parser parser;
    const auto reply = ask({"ZRANGE", key, "0", "-1"});
    static_cast<void>(parser.parse(reply));
    std::vector<std::string> found;
    parser.reply(reply).for_each([&found](const auto& each) { found.emplace_back(each.text()); });
    return found;
}

std::string server::place_in(std::string_view key, std::string_view whose)
{
    redis::reply_parser parser;
    const auto reply = ask({"HGET", key, whose});
    static_cast<void>(parser.parse(reply));
    return std::string{parser.reply(reply).text()};
}

}  // namespace pawl::sim
