#include "faults/user.h"

#include <cstdio>
#include <optional>
#include <string>
#include <thread>

namespace pawl::faults {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr milliseconds pause_after_error{5};
constexpr std::int64_t longest_pause_us = 10'000;

// Fences follow the server's clock in µs: these are 10 s.
constexpr std::uint64_t far_ahead = 10'000'000;

// A topology says by `bad_argument` or `refused` that it does not have this kind. Only before the first
// grant: later `refused` is a fault.
bool left_out(lock_board& lock, kind which, const std::error_code& code, const char* why)
{
    if (code != errc::bad_argument && code != errc::refused) return false;
    if (lock.grants.load() != 0) return false;
    lock.left_out.store(1);
    std::fprintf(stderr, "%s is left out: %s\n", std::string{to_string(which)}.c_str(), why);
    return true;
}

class broken_user final : public user {
public:
    using user::user;

private:
    void turn(const std::stop_token&) override
    {
        note_success(clock_now());
        const std::uint64_t id = at_.record.begin(kind_, 0);
        const std::optional<std::uint64_t> value = lock_.data.claim(0);
        std::this_thread::sleep_for(microseconds{between(0, 300)});
        const bool written = value && lock_.data.write(0, *value + 1);
        at_.record.end(id, written ? value : std::nullopt);
        if (written) ++lock_.increments;
    }
};

}  // namespace

user::user(const workplace& at, kind which)
    : at_{at},
      kind_{which},
      lock_{at.shared.locks[static_cast<std::size_t>(which)]},
      random_{at.order.seed * 10'000 + at.order.index * 100 + static_cast<std::uint64_t>(which)}
{
}

void user::run(const std::stop_token& stop)
{
    while (!stop.stop_requested() && lock_.left_out.load() == 0 && asks()) {
        turn(stop);
        std::this_thread::sleep_for(microseconds{between(0, longest_pause_us)});
    }
}

bool user::asks() const
{
    const worker_order& order = at_.order;
    const bool stops = order.wrong == defect::stops_asking && order.place == 0;
    if (!stops || kind_ != kind::mutex) return true;
    return at_.shared.workers[order.index].last_grant[static_cast<std::size_t>(kind_)].load() == 0;
}

std::string user::own_part() const
{
    const bool alone = at_.order.wrong == defect::lock_of_its_own;
    return alone ? std::to_string(at_.order.index) : std::string{};
}

// An old one is always the same, and that of readers is older.
std::uint64_t user::fence_of(const hold& held, bool reading) const
{
    if (at_.order.wrong != defect::old_fence) return held.fence();
    return reading ? 0 : 1;
}

std::int64_t user::between(std::int64_t least, std::int64_t most)
{
    return std::uniform_int_distribution<std::int64_t>{least, most}(random_);
}

// Mostly short. Sometimes longer than a lease, so that renewals meet the faults too.
void user::stay_in(const hold& held, const call_begin& call, bool reading)
{
    const std::uint64_t fence = fence_of(held, reading);
    visit here{at_.shared, at_.order.index, kind_, reading, held, fence, call};
    const bool ahead = at_.order.wrong == defect::fence_ahead && one_in(20);
    here.use_register(at_.record, ahead ? fence + far_ahead : fence, microseconds{between(0, 300)});
    if (one_in(1'000)) {
        here.stay(at_.order.lease * 3 / 2);
    } else {
        here.stay(microseconds{one_in(30) ? between(10'000, 50'000) : between(0, 1'000)});
    }
}

void user::note(const std::error_code& ec)
{
    if (!ec || ec == errc::busy || ec == errc::not_due || ec == errc::timed_out ||
        ec == errc::cancelled) {
        return;
    }
    if (ec == errc::lost) {
        ++lock_.lost;
        return;
    }
    ++at_.shared.failed_calls;
    if (ec != errc::unreachable && ec != errc::no_quorum && ec != errc::refused) {
        std::fprintf(stderr, "%s: %s\n", std::string{to_string(kind_)}.c_str(),
                     ec.message().c_str());
    }
    (void)left_out(lock_, kind_, ec, ec.message().c_str());
    std::this_thread::sleep_for(pause_after_error);
}

void user::note_success(nanoseconds_t call_began)
{
    ++lock_.grants;
    at_.shared.workers[at_.order.index].last_grant[static_cast<std::size_t>(kind_)].store(
        clock_now());
    raise(lock_.last_call, call_began);
}

std::unique_ptr<user> make_user(const workplace& at, client& own, kind which)
{
    try {
        switch (which) {
        case kind::condition: return make_condition_user(at, own);
        case kind::once_per: return make_once_user(at, own);
        case kind::latch: return make_latch_user(at, own);
        case kind::barrier: return make_barrier_user(at, own);
        default: return make_lock_user(at, own, which);
        }
    } catch (const error& problem) {
        lock_board& lock = at.shared.locks[static_cast<std::size_t>(which)];
        if (!left_out(lock, which, problem.code(), problem.what())) throw;
        return nullptr;
    }
}

std::unique_ptr<user> make_broken_user(const workplace& at, kind which)
{
    const bool is_gate = which == kind::latch || which == kind::barrier;
    return is_gate ? make_broken_gate_user(at, which) : std::make_unique<broken_user>(at, which);
}

}  // namespace pawl::faults
