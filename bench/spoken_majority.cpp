#include "spoken_majority.h"

#include "nodes.h"

#include <cerrno>
#include <poll.h>
#include <stdexcept>
#include <system_error>

namespace pawl::bench {
namespace {

constexpr int longest_silence_ms = 5'000;

}  // namespace

spoken_majority::spoken_majority(const std::vector<std::string>& nodes,
                                 const std::vector<dialogue>& what)
    : what_{what}
{
    for (const std::string& each : nodes) {
        nodes_.push_back(std::make_unique<node>(each));
        nodes_.back()->connection.speak_resp3();
    }
}

spoken_majority::lock spoken_majority::make_lock(std::string_view name, std::size_t holder_number,
                                                 std::size_t place) const
{
    lock made{.place = place};
    for (const dialogue& each : what_) made.at_node.emplace_back(each, name, holder_number);
    return made;
}

void spoken_majority::begin(lock& which)
{
    which.turn = 0;
    say(which);
}

// All nodes get the same time, and the same numbers: those of a node that has answered.
void spoken_majority::say(lock& which)
{
    which.answers = 0;
    ++which.serial;
    const std::int64_t now = milliseconds_since_epoch();
    const spoken_cycle& told = which.at_node[which.told_by];
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        which.at_node[i].say(which.turn, now, told, nodes_[i]->unsent);
        nodes_[i]->waiting.push_back({.whose = &which, .turn = which.turn, .serial = which.serial});
    }
}

spoken_majority::lock& spoken_majority::await_end()
{
    while (ended_.empty()) {
        send();
        receive();
    }
    lock& first = *ended_.front();
    ended_.pop_front();
    return first;
}

void spoken_majority::send()
{
    for (const auto& each : nodes_) {
        if (each->unsent.empty()) continue;
        each->connection.send(each->unsent);
        each->unsent.clear();
    }
}

void spoken_majority::receive()
{
    std::vector<pollfd> wanted;
    wanted.reserve(nodes_.size());
    for (const auto& each : nodes_) {
        wanted.push_back({.fd = each->connection.descriptor(), .events = POLLIN, .revents = 0});
    }
    const int ready = ::poll(wanted.data(), wanted.size(), longest_silence_ms);
    if (ready < 0 && errno != EINTR) {
        throw std::system_error{errno, std::generic_category(), "wait for the nodes"};
    }
    if (ready == 0) throw std::runtime_error{"no node replied for 5 s"};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (ready > 0 && wanted[i].revents != 0) hear(i);
    }
}

void spoken_majority::hear(std::size_t number)
{
    node& from = *nodes_[number];
    from.connection.receive_now();
    while (const auto text = from.connection.line_at_hand()) {
        if (from.waiting.empty()) throw std::runtime_error{"a node replied without a request"};
        const asked next = from.waiting.front();
        spoken_cycle& heard = next.whose->at_node[number];
        heard.hear(next.turn, from.line, *text);
        if (++from.line < heard.lines(next.turn)) continue;
        from.line = 0;
        from.waiting.pop_front();
        note_answer(number, next);
    }
}

// An answer to an earlier request came after the majority, and changes nothing any more.
void spoken_majority::note_answer(std::size_t number, const asked& what)
{
    lock& whose = *what.whose;
    if (what.serial != whose.serial || ++whose.answers < majority_of(nodes_.size())) return;
    ++whose.serial;
    whose.told_by = number;
    if (++whose.turn < whose.at_node.front().turns()) {
        say(whose);
    } else {
        ended_.push_back(&whose);
    }
}

}  // namespace pawl::bench
