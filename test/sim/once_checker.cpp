#include "sim/once_checker.h"

#include "sim/checker_words.h"
#include "store/redis/keys.h"

#include <algorithm>

namespace pawl::sim {

using kind = script_call::kind;
using namespace std::chrono_literals;

namespace {

// A mark may expire in another ms than the one computed here.
constexpr std::chrono::milliseconds rounding{2};

// More runs than these cannot be in one period.
constexpr std::size_t remembered_runs = 50;

}  // namespace

once_checker::once_checker(const plan& plan, world& world, server& server, trace& trace)
    : exclusive_checker{plan, world, server, trace},
      jobs_(plan.locks.size()),
      periods_repeat_{plan.has(fault::server_back) || plan.has(fault::server_far_back)}
{
}

once_checker::server_time once_checker::end_of_period(std::size_t index, server_time begun) const
{
    const auto& job = plan_->locks[index];
    return job.aligned ? begun - begun % job.period + job.period : begun + job.period;
}

bool once_checker::in_one_period(std::size_t index, server_time one, server_time other) const
{
    return std::max(one, other) + rounding < end_of_period(index, std::min(one, other));
}

void once_checker::after(const std::vector<std::string_view>& words, std::string_view reply)
{
    exclusive_checker::after(words, reply);
    const auto call = read_call(words);
    if (!call || reply.starts_with('-')) return;
    const auto index = index_of(call->keys[0]).value();
    if (call->what == kind::acquire) after_begin(index, *call, reply);
    if (call->what == kind::release) after_end(index, *call);
}

void once_checker::after_begin(std::size_t index, const script_call& call, std::string_view reply)
{
    const auto code = code_of(reply, 0);
    const auto now = std::chrono::floor<server_time>(std::chrono::microseconds{code_of(reply, 2)});
    if (code == -8) check_not_due(index, call.holder(), now);
    if (code < 1) return;
    auto& job = jobs_[index];
    check_begin(index, call.holder(), now);
    job.unknown = false;
    job.grants[fence_in(reply)] = now;
    job.marked = {.holder = std::string{call.holder()}, .ends = end_of_period(index, now)};
}

// A begin that the server takes back, a failure, or a success. Only that of the last run counts.
void once_checker::after_end(std::size_t index, const script_call& call)
{
    auto& job = jobs_[index];
    if (!job.marked || job.marked->holder != call.holder()) return;
    if (job.marked->done) return;  // the mark does not name the holder any more
    if (call.arguments[3] == "1") {
        job.marked->done = true;
        job.done[job.marked->holder] = true;
    } else {
        job.marked.reset();
    }
}

// The server begins a run: no other run may count in this period.
void once_checker::check_begin(std::size_t index, std::string_view holder, server_time now)
{
    const auto& job = jobs_[index];
    if (!job.marked || job.unknown || periods_repeat_ || job.marked->holder == holder) return;
    const bool counts = job.marked->done || !plan_->locks[index].retries;
    if (counts && now + rounding < job.marked->ends) {
        fail("once per period", index,
             short_id(holder) + " begins in the period of " + short_id(job.marked->holder));
    }
}

// The server begins no run: there must be one that counts.
void once_checker::check_not_due(std::size_t index, std::string_view holder, server_time now)
{
    const auto& job = jobs_[index];
    if (job.unknown || periods_repeat_) return;
    const bool retries = plan_->locks[index].retries;
    if (!job.marked || (retries && !job.marked->done)) {
        fail("a failed run is retried", index,
             short_id(holder) + " must not begin, although no run counts");
    } else if (now > job.marked->ends + rounding) {
        fail("due in the next period", index,
             short_id(holder) + " must not begin, although the period is over");
    }
}

// A caller begins its run: no other run that counts was begun by its caller in this period.
void once_checker::check_fence(const belief& fresh)
{
    exclusive_checker::check_fence(fresh);
    auto& job = jobs_[fresh.lock];
    const auto granted = job.grants.find(fresh.fence);
    if (granted == job.grants.end()) return;  // before the server lost its data
    const bool retries = plan_->locks[fresh.lock].retries;
    // If its lock was lost before its caller heard of it, it is a run that failed.
    const bool failed = retries && excused(fresh.lock, fresh.holder);
    for (const auto& each : job.runs) {
        const bool counts = !retries || job.done.contains(each.holder);
        if (counts && !failed && !periods_repeat_ &&
            in_one_period(fresh.lock, each.begun, granted->second)) {
            fail("once per period", fresh.lock,
                 short_id(fresh.holder) + " runs in the period of " + short_id(each.holder));
        }
    }
    job.runs.push_back({fresh.holder, granted->second});
    if (job.runs.size() > remembered_runs) job.runs.pop_front();
}

void once_checker::data_lost(bool known)
{
    exclusive_checker::data_lost(known);
    for (auto& job : jobs_) {
        job.marked.reset();
        job.unknown = !known;
        job.runs.clear();
        job.grants.clear();
    }
}

std::vector<std::string> once_checker::keys_used() const
{
    auto all = exclusive_checker::keys_used();
    for (const auto& each : plan_->locks) all.push_back(store::mark_key(each.name));
    return all;
}

}  // namespace pawl::sim
