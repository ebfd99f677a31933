#include "sim/run_checker.h"

#include <algorithm>

namespace pawl::sim {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

constexpr std::string_view fence_prefix = "pawl:fence:";

}  // namespace

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

void run_checker::lease_asked(milliseconds length)
{
    longest_ = std::max(longest_, length);
}

void run_checker::count_script(const std::optional<script_call>& call, std::string_view reply)
{
    if (reply.starts_with("-NOSCRIPT")) ++unknown_scripts_;
    if (call && call->in_full && ++scripts_in_full_ > unknown_scripts_) {
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

nanoseconds run_checker::time_to_clean_up() const
{
    return 3 * plan_->command_limit + 3s;
}

void run_checker::check_leftovers()
{
    for (const auto& key : server_->keys()) {
        if (!key.starts_with(fence_prefix)) {
            fail("nothing is left behind", std::nullopt, "there is still a key " + key);
        } else if (server_->ttl_of(key) <= 0ms) {
            fail("nothing is left behind", std::nullopt, "a fence without expiry: " + key);
        }
    }
}

}  // namespace pawl::sim
