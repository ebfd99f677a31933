#include "sim/run_checker.h"

#include "store/redis/keys.h"

#include <algorithm>

namespace pawl::sim {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

run_checker::run_checker(const plan& plan, world& world, server& server, trace& trace)
    : plan_{&plan}, world_{&world}, server_{&server}, trace_{&trace}
{
    server.watched_by(*this);
}

void run_checker::fail(std::string_view check, std::optional<std::size_t> lock,
                       const std::string& text)
{
    if (found_) return;
    found_ = violation{std::string{check}, text, world_->now(), lock};
    trace_->note(lock, [&] { return "✗ " + std::string{check} + ": " + text; });
}

void run_checker::wrong_metrics(const process& who, const std::string& text)
{
    fail("metrics agree", std::nullopt, "process " + std::to_string(who.number()) + ": " + text);
}

void run_checker::lease_asked(milliseconds length)
{
    longest_ = std::max(longest_, length);
}

void run_checker::count_script(const std::optional<script_call>& call, std::string_view reply)
{
    if (reply.starts_with("-NOSCRIPT")) ++unknown_scripts_;
    // Each client sends the first return to a node in full, because its caller may not wait for the answer.
    if (!call || !call->in_full || call->what == script_call::kind::return_vote) return;
    if (++scripts_in_full_ > unknown_scripts_) {
        fail("scripts by name", std::nullopt, "a script was sent in full that the server knew");
    }
}

// How long a lock may be free, or held without a hold, while there is a waiter: docs/guarantees.md.
nanoseconds run_checker::watch_period() const
{
    const nanoseconds look = std::max<milliseconds>(2 * plan_->lease / 3, 500ms);
    return std::max<nanoseconds>({look, plan_->poll_interval, 100ms}) * 5 / 4 + 100 * plan_->delay +
           200ms;
}

std::string run_checker::key_of(std::size_t lock) const
{
    return plan_->locks[lock].name;
}

std::vector<std::string> run_checker::keys_used() const
{
    std::vector<std::string> all;
    for (const auto& each : plan_->locks) all.push_back(each.name);
    return all;
}

nanoseconds run_checker::time_to_clean_up() const
{
    return 3 * plan_->command_limit + 3s;
}

void run_checker::check_leftovers_at(server& where)
{
    for (const auto& key : where.keys()) {
        if (plan_->nodes > 1 && key == store::node_key) continue;
        if (!key.starts_with(store::fence_prefix)) {
            fail("nothing is left behind", std::nullopt, "there is still a key " + key);
        } else if (where.ttl_of(key) <= 0ms) {
            fail("nothing is left behind", std::nullopt, "a fence without expiry: " + key);
        }
    }
}

}  // namespace pawl::sim
