// pawl's scripts, and the words of all requests. engine_commands.cpp has the single commands.
#include "integration/engine_requests.h"

#include "integration/engine_scripts.h"

#include <utility>

namespace pawl::test {
namespace {

namespace ours = redis::scripts;

// Scripts that join the queue or hand over are in the list twice.
const redis::script* const all_scripts[] = {
    &ours::plain_acquire, &ours::plain_acquire, &ours::plain_acquire,  &ours::hash_acquire,
    &ours::hash_acquire,  &ours::hash_acquire,  &ours::plain_release,  &ours::plain_release,
    &ours::hash_release,  &ours::hash_release,  &ours::plain_keep,     &ours::hash_keep,
    &ours::plain_renew,   &ours::hash_renew,    &ours::hash_set_count, &ours::plain_check,
    &ours::hash_check,
};

bool is_any_of(const redis::script& script, std::initializer_list<const redis::script*> some)
{
    for (const auto* const each : some) {
        if (&script == each) return true;
    }
    return false;
}

// A holder whose client is told when its lingering lock is wanted.
constexpr std::string_view lingering_holder = "p0112233445566778899aabbccddeeff0123456789abcdef";

}  // namespace

const std::vector<std::string>& engine_keys()
{
    static const std::vector<std::string> all{"k0", "k1", "k2", "k3", "k4",
                                              "k5", "f0", "f1", "q0", "q1"};
    return all;
}

const std::vector<std::string>& engine_channels()
{
    static const std::vector<std::string> all{"c0",
                                              "c1",
                                              "pawl:client:c0c0c0c0c0c0c0c0",
                                              "pawl:client:c1c1c1c1c1c1c1c1",
                                              "pawl:client:0123456789abcdef",
                                              "lock:release:k0"};
    return all;
}

engine_requests::engine_requests(std::uint64_t seed) : random_{seed}, crowded_{chance(0.5)} {}

bool engine_requests::chance(double probability)
{
    return std::bernoulli_distribution{probability}(random_);
}

std::size_t engine_requests::below(std::size_t limit)
{
    return std::uniform_int_distribution<std::size_t>{0, limit - 1}(random_);
}

std::string engine_requests::one_of(choice words)
{
    return std::string{words.begin()[below(words.size())]};
}

std::string engine_requests::key()
{
    return engine_keys()[below(engine_keys().size())];
}

std::string engine_requests::lock()
{
    return chance(0.95) ? one_of({"k0", "k1", "k2"}) : key();
}

// The lock, its fence and its queue.
std::vector<std::string> engine_requests::lock_with_queue(const redis::script& script)
{
    const bool is_hash =
        is_any_of(script, {&ours::hash_acquire, &ours::hash_keep, &ours::hash_release});
    const std::string number = crowded_ ? (is_hash ? "1" : "0") : one_of({"0", "1"});
    std::vector<std::string> keys{"k" + number, "f" + number, "q" + number};
    if (chance(crowded_ ? 0.01 : 0.05)) keys[below(keys.size())] = key();
    return keys;
}

std::string engine_requests::name()
{
    if (crowded_ && chance(0.9)) return one_of({"h0", "h1", lingering_holder});
    return one_of({"h0", "h1", "h2", "h3", lingering_holder});
}

std::string engine_requests::number()
{
    if (chance(0.9)) return std::to_string(static_cast<int>(below(12)) - 3);
    return one_of({"x", "", "1.5", "007", "-0", "+1", " 1", "9223372036854775807",
                   "-9223372036854775808", "9223372036854775808", "99999999999999999999"});
}

std::string engine_requests::score()
{
    if (chance(0.8)) return std::to_string(static_cast<int>(below(9)) - 2);
    return one_of({"1.5", "0.1", "-0", "inf", "-inf", "+inf", "nan", "x", "1e20", "1e-7", "+3",
                   "3.0", "1e400", "17179869184.5", "1 ", ".5", "5."});
}

std::string engine_requests::bound()
{
    const auto text = chance(0.3) ? one_of({"-inf", "+inf", "(inf", "x", "(", "(x"}) : score();
    return chance(0.3) ? "(" + text : text;
}

// The test has to wait for the end of short leases, so they are rare. The invalid values differ
// from all valid ones: a script may compare them with a remaining time, and the clocks differ a
// little.
std::string engine_requests::lease()
{
    if (chance(0.01)) return std::to_string(60 + below(40));
    if (chance(0.04)) {
        return one_of({"0", "-1", "x", "", "1.5", "9223372036854775807", "1e6", "007000"});
    }
    return one_of({"10000", "20000", "30000", "60000"});
}

// Until when a place is kept: until long after the test, or not at all. The two clocks differ a
// little, so a place must not end during the test.
std::string engine_requests::kept_until()
{
    if (chance(0.05)) return one_of({"x", "", "1700000000000", "30000.5", "0000000000000"});
    return one_of({"4102444800000", "4102444800000", "4102444900000", "4102445000000"});
}

// The last fence that the holder has used itself: none, an old one, or one far ahead of the clock.
std::string engine_requests::used()
{
    if (chance(0.05)) return one_of({"x", "", "-1", "1.5"});
    return one_of({"0", "0", "5", "1700000000000000", "4102444800000000"});
}

// The last reserved fence. Only values that do not come from a clock can be known here.
std::string engine_requests::reserved()
{
    return one_of({"0", "5", "5", "4102444800000000", "4102444800000001"});
}

std::string engine_requests::reserve()
{
    return chance(0.05) ? one_of({"x", "", "-1", "1.5"}) : one_of({"0000", "0007", "1000"});
}

// A duration that is used only once. The clocks differ a little, so the order of equal ends would
// be undefined.
std::string engine_requests::long_and_unique()
{
    return std::to_string(100'000 + 2'000 * ++leases_);
}

std::string engine_requests::pattern()
{
    return one_of({"*", "k*", "k?", "[kf]0", "[^f]*", "k[1-3]", "k[3-1]", "\\k0", "k", "*0*", "",
                   "k[12", "**1", "[\\k]1"});
}

engine_request engine_requests::next()
{
    if (crowded_ && chance(0.97)) return in_a_crowd();
    engine_request request;
    const auto kind = below(100);
    if (kind < 45) {
        request = our_script();
    } else if (kind < 75) {
        request = command();
    } else if (kind < 88) {
        request = command_in_script();
    } else {
        request = small_script();
    }
    if (chance(0.02)) disturb(request);
    return request;
}

engine_request engine_requests::in_a_crowd()
{
    const auto kind = below(100);
    if (kind < 82) return our_script();
    if (kind < 90) return listening();
    if (kind < 96) return {{"SET", one_of({"f0", "f1"}), one_of({"5", "5", "4102444800000000"})}};
    if (kind < 98) return {{"LRANGE", one_of({"q0", "q1"}), "0", "-1"}};
    return {{"DEL", one_of({"k0", "k1", "q0", "q1", "f0", "f1"})}};
}

engine_request engine_requests::listening()
{
    engine_request request{{one_of({"SUBSCRIBE", "SUBSCRIBE", "UNSUBSCRIBE"}),
                            engine_channels()[below(engine_channels().size())]}};
    request.by_listener = true;
    return request;
}

engine_request engine_requests::our_script()
{
    const auto& script = *all_scripts[below(std::size(all_scripts))];
    if (is_any_of(script, {&ours::plain_acquire, &ours::hash_acquire})) return acquire(script);
    if (is_any_of(script, {&ours::plain_keep, &ours::hash_keep})) return keep(script);
    if (is_any_of(script, {&ours::plain_release, &ours::hash_release})) return release(script);
    if (is_any_of(script, {&ours::plain_renew, &ours::hash_renew})) return renew(script);
    if (&script == &ours::hash_set_count) {
        return script_call(script, {lock()}, {name(), lease(), number()});
    }
    return script_call(script, {lock()}, {name()});
}

// A new waiter, or one of the last ones: to look again, or to give up.
engine_requests::waiter engine_requests::new_or_recent_waiter()
{
    if (!asked_.empty() && chance(0.6)) return asked_[below(asked_.size())];
    const auto client = chance(0.02)
                            ? one_of({"", "two words"})
                            : one_of({"c0c0c0c0c0c0c0c0", "c1c1c1c1c1c1c1c1", "c2c2c2c2c2c2c2c2"});
    waiter who{.name = name(), .client = client, .lease = lease(), .reserve = reserve()};
    constexpr std::size_t remembered = 6;
    if (asked_.size() < remembered) return asked_.emplace_back(std::move(who));
    return asked_[below(remembered)] = std::move(who);
}

// With the flag to join, the queue soon has several waiters. Nothing subscribes to the channel of the
// client c2…, so its waiters cannot be told. Waiters of the other clients can be told as long as there
// is a subscription to their channels.
engine_request engine_requests::acquire(const redis::script& script)
{
    const auto wanted_until = chance(0.1) ? one_of({"1", "x", "", "0000000000000001"})
                                          : one_of({"0", "9999999999999999"});
    const auto flags = chance(0.02) ? one_of({"x", ""})
                                    : one_of({"0", "1", "2", "2", "3", "3", "6", "7", "18", "19"});
    const auto who = new_or_recent_waiter();
    std::vector<std::string> arguments{who.name, wanted_until, flags,
                                       kept_until() + "x" + who.client + who.reserve + who.lease};
    auto request = script_call(script, lock_with_queue(script), std::move(arguments));
    request.time = time_in_reply::milliseconds;
    return request;
}

engine_request engine_requests::keep(const redis::script& script)
{
    auto request =
        script_call(script, lock_with_queue(script),
                    {name(), used(), one_of({"", "news"}), lease(), reserve(), reserved()});
    request.time = time_in_reply::milliseconds;
    return request;
}

engine_request engine_requests::release(const redis::script& script)
{
    std::vector<std::string> arguments{new_or_recent_waiter().name, used(), one_of({"", "news"}),
                                       "1"};
    if (chance(0.8)) arguments.resize(2 + below(2));
    return script_call(script, lock_with_queue(script), std::move(arguments));
}

engine_request engine_requests::renew(const redis::script& script)
{
    std::vector<std::string> keys;
    std::vector<std::string> arguments;
    for (auto left = below(4); left > 0; --left) {
        keys.push_back(lock());
        arguments.push_back(name());
        arguments.push_back(lease());
    }
    return script_call(script, keys, arguments);
}

engine_request engine_requests::script_call(const redis::script& script,
                                            std::vector<std::string> keys,
                                            std::vector<std::string> arguments)
{
    const bool flags = chance(crowded_ ? 0.99 : 0.9);
    const auto sha = flags ? script.sha : script.sha_without_flags;
    const auto text = flags ? script.text : script.text_without_flags();
    if (chance(0.02)) return {{"SCRIPT", "LOAD", std::string{text}}};

    engine_request request;
    if (chance(0.7)) {
        request.words = {"EVALSHA", std::string{sha}};
    } else {
        request.words = {"EVAL", std::string{text}};
    }
    request.words.push_back(std::to_string(keys.size()));
    request.words.insert(request.words.end(), keys.begin(), keys.end());
    request.words.insert(request.words.end(), arguments.begin(), arguments.end());
    return request;
}

engine_request engine_requests::command()
{
    switch (below(6)) {
    case 0: return key_command();
    case 1: return string_command();
    case 2: return hash_command();
    case 3: return list_command();
    case 4: return sorted_set_command();
    default: return server_command();
    }
}

engine_request engine_requests::command_in_script()
{
    engine_request inner = command();
    // These are for the test itself, or their replies have no defined order.
    while (inner.by_listener || inner.any_order || inner.words[0] == "CONFIG" ||
           inner.words[0] == "DBSIZE" || inner.time == time_in_reply::clock) {
        inner = command();
    }
    inner.words.insert(inner.words.begin(),
                       {"EVAL", std::string{wrappers()[below(wrappers().size())]}, "0"});
    return inner;
}

engine_request engine_requests::small_script()
{
    const auto text = small_scripts()[below(small_scripts().size())];
    engine_request request{{"EVAL", std::string{text}}};
    if (chance(0.5)) {
        request.words.insert(request.words.end(), {"1", key(), name()});
    } else {
        request.words.push_back(chance(0.95) ? "0" : number());
    }
    return request;
}

// Removes a word, adds one, or moves one.
void engine_requests::disturb(engine_request& request)
{
    auto& words = request.words;
    if (request.by_listener || words[0] == "CONFIG" || words.size() < 2) return;
    const auto at = words.begin() + static_cast<std::ptrdiff_t>(1 + below(words.size() - 1));
    switch (below(3)) {
    case 0: words.erase(at); break;
    case 1: words.insert(at, chance(0.5) ? name() : number()); break;
    default: std::iter_swap(at, words.end() - 1);
    }
}

}  // namespace pawl::test
