#include "store/memory/server.h"

#include "redis/resp.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <initializer_list>

namespace pawl::store::memory {

using stage = request::stage;

server::server(std::string_view name)
    : shown_{"memory:" + std::string{name}}, engine_{[this] { return time_.wall(); }}
{
    engine_.on_push([this](session who, std::string_view push)
                        PAWL_REQUIRES(mutex_) { deliver(who, push); });
}

session server::join()
{
    const common::scoped_lock guard{mutex_};
    return ++last_session_;
}

void server::leave(session who)
{
    const common::scoped_lock guard{mutex_};
    engine_.disconnect(who);
    listeners_.erase(who);
    cut_off_.erase(who);
    for (const auto& each : waiting_) {
        if (each->from == who) each->on_answer = nullptr;
    }
    std::erase_if(waiting_, [who](const auto& each) {
        return each->from == who && each->at != stage::arrived;
    });
}

bool server::can_be_reached_by(session who)
{
    const common::scoped_lock guard{mutex_};
    return !frozen_ && !is_cut_off(who);
}

void server::on_message(session who, delivery deliver)
{
    const common::scoped_lock guard{mutex_};
    listeners_[who] = std::move(deliver);
}

void server::deliver(session who, std::string_view push)
{
    const auto found = listeners_.find(who);
    if (found == listeners_.end() || is_cut_off(who)) return;
    redis::reply_parser parser;
    static_cast<void>(parser.parse(push));
    const auto message = parser.reply(push);  // its kind, the channel, the text
    found->second(message[2].text());
}

void server::send(const request_ptr& what)
{
    const common::scoped_lock guard{mutex_};
    move_on(*what);
    if (!what->answered) waiting_.push_back(what);
}

void server::give_up(const request_ptr& what)
{
    const common::scoped_lock guard{mutex_};
    what->on_answer = nullptr;
    if (what->at != stage::arrived) std::erase(waiting_, what);
}

// Moves the request on as far as possible.
void server::move_on(request& what)
{
    // The machine of a frozen server accepts bytes on an existing connection, but there is no
    // handshake for a new one.
    const bool arrives = !is_cut_off(what.from) && (what.connected || !frozen_);
    if (what.at == stage::on_the_way && arrives) what.at = stage::arrived;
    if (what.at == stage::arrived && !frozen_) {
        engine_.execute_bytes(what.from, what.bytes, what.reply);
        what.at = stage::executed;
    }
    if (what.at == stage::executed && !is_cut_off(what.from)) {
        what.answered = true;
        if (what.on_answer) what.on_answer();
    }
}

void server::move_all_on()
{
    for (const auto& each : waiting_) move_on(*each);
    // No caller waits for a request that was given up.
    std::erase_if(waiting_, [](const auto& each) {
        return each->answered || (each->at == stage::executed && !each->on_answer);
    });
}

void server::lose(std::string_view key)
{
    const common::scoped_lock guard{mutex_};
    static_cast<void>(ask({"DEL", key}));
}

void server::lose_data()
{
    const common::scoped_lock guard{mutex_};
    engine_.lose_data();
}

void server::flush_scripts()
{
    const common::scoped_lock guard{mutex_};
    engine_.flush_scripts();
}

void server::set_memory_full(bool full)
{
    const common::scoped_lock guard{mutex_};
    engine_.refuse_writes(full);
}

void server::freeze()
{
    const common::scoped_lock guard{mutex_};
    frozen_ = true;
}

void server::thaw()
{
    const common::scoped_lock guard{mutex_};
    frozen_ = false;
    move_all_on();
}

void server::cut_off(session who)
{
    const common::scoped_lock guard{mutex_};
    cut_off_.insert(who);
}

void server::reconnect(session who)
{
    const common::scoped_lock guard{mutex_};
    cut_off_.erase(who);
    move_all_on();
}

void server::take_levers()
{
    const common::scoped_lock guard{mutex_};
    ++levers_;
}

void server::let_go_of_levers()
{
    const common::scoped_lock guard{mutex_};
    if (--levers_ != 0) return;
    engine_.refuse_writes(false);
    frozen_ = false;
    cut_off_.clear();
    move_all_on();
}

namespace {

// The first word of a reply, or the reply itself if it is a text.
std::optional<std::string> first_word_of(const std::string& reply)
{
    redis::reply_parser parser;
    static_cast<void>(parser.parse(reply));
    const auto found = parser.reply(reply);
    if (found.is_null() || found.is_error()) return std::nullopt;
    if (!found.is_aggregate()) return std::string{found.text()};
    return found.size() == 0 ? std::nullopt : std::optional{std::string{found[0].text()}};
}

}  // namespace

std::size_t server::unanswered()
{
    const common::scoped_lock guard{mutex_};
    return waiting_.size();
}

std::optional<std::string> server::holder_of(std::string_view key)
{
    const common::scoped_lock guard{mutex_};
    auto reply = ask({"GET", key});
    if (reply.starts_with('-')) reply = ask({"HGETALL", key});
    if (reply.starts_with('-')) reply = ask({"LINDEX", key, "0"});
    if (!reply.starts_with('-')) return first_word_of(reply);
    // Several holders may be in. Those whose leases have ended may still be there: parts/census.lua.
    constexpr std::size_t id_size = 32;
    const auto now = std::chrono::floor<std::chrono::milliseconds>(time_.wall());
    const auto later = "(" + std::to_string(now.count());
    auto member = first_word_of(ask({"ZRANGEBYSCORE", key, later, "+inf", "LIMIT", "0", "1"}));
    if (member) member->resize(std::min(member->size(), id_size));
    return member;
}

std::string server::ask(std::initializer_list<std::string_view> words)
{
    std::string reply;
    engine_.execute(0, {words.begin(), words.size()}, reply);
    return reply;
}

}  // namespace pawl::store::memory
