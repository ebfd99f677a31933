// The server's side: the scripts that it executes, and its messages. gates_reports.cpp has what the users report.
#include "sim/gates_checker.h"

#include "redis/resp.h"
#include "sim/checker_words.h"
#include "store/redis/keys.h"
#include "store/redis/message.h"

#include <pawl/error.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace pawl::sim {

using kind = script_call::kind;
using namespace std::chrono_literals;

namespace {

std::uint64_t number_in(std::string_view word)
{
    std::uint64_t number = 0;
    std::from_chars(word.data(), word.data() + word.size(), number);
    return number;
}

// The server remembers an arrival for so long.
constexpr auto remembered = 1h;
constexpr auto gate_lifetime = 24h;

}  // namespace

void gates_checker::told(std::string_view push)
{
    redis::reply_parser parser;
    static_cast<void>(parser.parse(push));
    const auto view = parser.reply(push);  // its kind, the channel, the text
    const auto got = store::read_message(view[2].text());
    if (got && got->what == store::message::kind::grant) told_.emplace(got->holder);
}

bool gates_checker::is_told(std::string_view who) const
{
    return told_.contains(who);
}

void gates_checker::before(const std::vector<std::string_view>& words)
{
    told_.clear();
    before_.reset();
    const auto call = read_call(words);
    if (!call) return;
    auto& gate = record_of(call->keys[0]);
    before_ = read_gate(*server_, gate.name);
    queue_before_ = server_->waiters_in(store::queue_key(gate.name));
    look_for_loss(gate, before_);
}

// The server may have lost the gate since it was last seen, or may have that of an earlier time.
void gates_checker::look_for_loss(gate_record& gate, const std::optional<gate_state>& state)
{
    const auto idle = server_->clock() - gate.last_used;
    if (gate.exists && !state) {
        if (!gate.may_be_gone && idle < gate_lifetime) {
            fail("what is counted stays", gate.lock, gate.name + " is gone");
        }
        ++gate.life;
        gate.arrived.clear();
    } else if (std::exchange(gate.numbers_unknown, false) && state) {
        ++gate.life;
        gate.arrived.clear();
        for (const auto& [participant, number] : state->arrived) {
            gate.arrived[participant] = {.number = number,
                                         .phase = 0,
                                         .when = server_->clock(),
                                         .refused = state->refused.contains(participant)};
        }
        // It may be open, or be in a later phase than before it was lost.
        ++gate.openings;
        // Its phases come again from there on.
        std::erase_if(gate.ended, [&](auto phase) { return phase >= state->phase; });
    }
    gate.may_be_gone = false;
    gate.exists = state.has_value();
}

void gates_checker::after(const std::vector<std::string_view>& words, std::string_view reply)
{
    const auto call = read_call(words);
    count_script(call, reply);
    if (!call) return;
    auto& gate = record_of(call->keys[0]);
    const auto is = read_gate(*server_, gate.name);
    if (reply.starts_with('-')) return;
    gate.exists = is.has_value();
    // A waiter that leaves does not make the server remember the gate for longer.
    if (call->what != kind::leave_queue) gate.last_used = server_->clock();
    if (!is) return;  // nobody can leave the queue of a gate that the server has lost
    auto was = *is;
    if (before_) {
        was = *before_;
    } else {
        // The script has made it.
        was.left = was.expected = was.made_for;
        was.phase = was.first;
        was.arrived.clear();
    }
    const bool one_number = call->what == kind::leave_queue;
    const change what{.gate = gate,
                      .call = *call,
                      .code = code_of(reply),
                      .number = one_number ? 0 : fence_in(reply),
                      .was = was,
                      .is = *is};
    trace_->note(gate.lock, [&] {
        return "server: " + gate.name + ": " + std::string{name_of(call->what)} + " of " +
               short_id(call->holder()) + " returns " + std::to_string(what.code) + "; " +
               is->describe();
    });
    if (call->what == kind::arrive) {
        check_arrival(what);
    } else {
        if (call->what == kind::wait_at) check_wait(what);
        check_unchanged(what);
    }
    check_queue(what, is->phase != was.phase);
}

// What must be true after an arrival is computed here once more.
void gates_checker::check_arrival(const change& what)
{
    auto& gate = what.gate;
    const auto& arguments = what.call.arguments;
    const auto number = number_in(arguments[1]);
    const auto weight = number_in(arguments[2]);
    const auto found = gate.arrived.find(arguments[0]);
    const bool repeated = found != gate.arrived.end() && number <= found->second.number;
    if (repeated && server_->clock() - found->second.when > remembered) {
        gate.numbers_unknown = true;  // the server may have forgotten it
        return;
    }
    auto next = what.was;
    const bool counts = !repeated && weight <= what.was.left;
    if (counts) {
        next.left -= weight;
        if (arguments[4] == "1") --next.expected;
        if (next.left == 0) {
            ++next.phase;
            if (next.is_barrier) next.left = next.expected;
        }
    }
    if (what.is.phase != next.phase) {
        fail("opens when all have arrived", gate.lock, "it is " + what.is.describe());
    } else if (what.is.expected != next.expected) {
        fail("who drops out is not expected", gate.lock, "it is " + what.is.describe());
    } else if (what.is.left != next.left) {
        fail("an arrival counts once", gate.lock,
             "it is " + what.is.describe() + ", and must be " + next.describe());
    }
    const bool was_refused = repeated && found->second.refused;
    if ((what.code == 1) != (counts || (repeated && !was_refused))) {
        fail("an arrival counts once", gate.lock,
             "the server says " + std::to_string(what.code) + " to " + short_id(arguments[0]));
    }
    if (what.code == -5) ++gate.refusals;
    // A copy of it must not count later, when more arrivals are missing.
    if (what.code == -5 && !repeated && what.was.is_barrier) {
        gate.arrived[std::string{arguments[0]}] = {
            .number = number, .phase = 0, .when = server_->clock(), .refused = true};
    }
    const auto phase = repeated ? found->second.phase : what.was.phase;
    if (what.code == 1 && phase != 0 && what.number != phase) {
        fail("released by its own phase", gate.lock, "an arrival is told another phase");
    }
    if (counts) count(what, next);
}

void gates_checker::count(const change& what, const gate_state& next)
{
    auto& gate = what.gate;
    const auto& arguments = what.call.arguments;
    gate.arrived[std::string{arguments[0]}] = {.number = number_in(arguments[1]),
                                               .phase = what.was.phase,
                                               .when = server_->clock(),
                                               .refused = false};
    auto& request = gate.requests[std::string{arguments[0]} + ' ' + std::string{arguments[1]}];
    ++request.counted;
    request.phase = what.was.phase;
    const auto call = request.call.lock();
    if (call && call->ended == errc::refused && call->life == gate.life &&
        !plan_->has(fault::full_memory)) {
        fail("an arrival counts once", gate.lock, "an arrival is counted that was refused");
    }
    if (next.phase == what.was.phase) return;
    ++gate.openings;
    gate.ended.insert(what.was.phase);
}

void gates_checker::check_wait(const change& what)
{
    auto& gate = what.gate;
    const auto phase = number_in(what.call.arguments[5]);
    const bool lost = phase != 0 && (phase < what.was.first || phase > what.was.phase);
    const bool over = !lost && what.was.is_over(phase);
    if (what.code >= 1 && !over) {
        fail("released by its own phase", gate.lock,
             short_id(what.call.holder()) + " need not wait, and " + what.was.describe());
    }
    if (what.code == 0 && (over || lost)) {
        fail("nobody is forgotten", gate.lock,
             short_id(what.call.holder()) + " is to wait for what is over");
    }
    if (what.code == -7 && !lost) {
        fail("no error without a cause", gate.lock, "a barrier that was not lost");
    }
}

// Only arrivals change a gate.
void gates_checker::check_unchanged(const change& what)
{
    if (what.is.left != what.was.left || what.is.expected != what.was.expected ||
        what.is.phase != what.was.phase) {
        fail("opens when all have arrived", what.gate.lock, "it is " + what.is.describe());
    }
}

// When a gate opens, all waiters are told that can be told. At all other times they keep their places.
void gates_checker::check_queue(const change& what, bool opens)
{
    const auto caller = what.call.holder();
    const auto queue = server_->waiters_in(store::queue_key(what.gate.name));
    const auto waits = [&queue](std::string_view who) {
        return std::ranges::find(queue, who, &server::waiter::holder) != queue.end();
    };
    for (const auto& each : queue_before_) {
        const auto ends = std::chrono::milliseconds{number_in(each.place.substr(0, 13))};
        const auto channel = store::channel_of(std::string_view{each.place}.substr(14, 16));
        const bool can_hear = server_->clock() <= ends && server_->has_listener(channel);
        if (opens && before_ && can_hear && !is_told(each.holder)) {
            fail("nobody is forgotten", what.gate.lock, short_id(each.holder) + " is not told");
        }
        const bool leaves = what.call.what == kind::leave_queue && caller == each.holder;
        // The waiters of a barrier that was lost have lost their arrivals too.
        const bool of_lost = !before_ && what.is.is_barrier;
        if (!opens && !leaves && !of_lost && can_hear && !waits(each.holder)) {
            fail("nobody is forgotten", what.gate.lock, short_id(each.holder) + " lost its place");
        }
    }
    if (!opens && !told_.empty()) {
        fail("opens when all have arrived", what.gate.lock,
             short_id(*told_.begin()) + " is told that it is open");
    }
    if (what.call.what == kind::wait_at && what.code == 0 && waits(caller)) {
        const auto found = left_.find(caller);
        if (found != left_.end()) found->second.joined_late = true;
        if (server_->ttl_of(store::queue_key(what.gate.name)) == -1ms) {
            fail("nothing is left behind", what.gate.lock, "the queue has no expiry");
        }
    }
    if (what.call.what == kind::leave_queue && waits(caller)) {
        fail("nothing is left behind", what.gate.lock, short_id(caller) + " is still in the queue");
    }
}

}  // namespace pawl::sim
