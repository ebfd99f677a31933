#include "faults/visit.h"

#include <algorithm>
#include <cstdio>
#include <stop_token>
#include <thread>

namespace pawl::faults {

namespace {

constexpr std::chrono::microseconds step{500};

[[nodiscard]] std::size_t index_of(kind which)
{
    return static_cast<std::size_t>(which);
}

void add_one(std::atomic<std::uint64_t>& counter)
{
    counter.fetch_add(1);
}

}  // namespace

// In this order: if the period is still the same after the grant, all of the call was in it.
call_begin::call_begin(const board& shared, kind which)
    : time{clock_now()},
      calm{shared.calm.load()},
      fence{shared.locks[index_of(which)].greatest_fence.load()}
{
}

visit::visit(board& shared, std::size_t worker, kind which, bool reading, const hold& held,
             std::uint64_t fence, const call_begin& call)
    : shared_{shared},
      lock_{shared.locks[index_of(which)]},
      worker_{worker},
      kind_{which},
      reading_{reading},
      held_{held},
      fence_{fence},
      own_{shared.workers[worker].in[index_of(which)]}
{
    const nanoseconds_t now = clock_now();
    add_one(lock_.grants);
    shared_.workers[worker].last_grant[index_of(which)].store(now);
    if (const nanoseconds_t left = lock_.last_leave.load(); left != 0) {
        raise(lock_.longest_stall, now - left);
    }
    own_.reading.store(reading ? 1 : 0);
    own_.calm.store(shared_.calm.load() == call.calm ? call.calm : 0);
    own_.entry.fetch_add(1);
    check_fence(call);
    if (show()) check_company();
}

visit::~visit()
{
    own_.until.store(0);
    raise(lock_.last_leave, clock_now());
}

bool visit::show() const
{
    // The clock is read first, so that the deadline shown is not later than the real one.
    const nanoseconds_t now = clock_now();
    const nanoseconds_t left = count(held_.valid_for());
    own_.until.store(left > 0 ? now + left : 0);
    if (left > 0 && !held_.lost().stop_requested()) return true;
    own_.until.store(0);
    return false;
}

void visit::check_fence(const call_begin& call)
{
    if (reading_) {
        // It has the fence of the last writer that the server knows.
        old_fence_ = fence_ < call.fence;
        if (!old_fence_) return;
        add_one(own_.calm.load() != 0 ? lock_.in_calm : lock_.old_readers);
        std::fprintf(stderr, "a reader has the fence %llu after %llu\n",
                     static_cast<unsigned long long>(fence_),
                     static_cast<unsigned long long>(call.fence));
        return;
    }
    if (fence_ <= call.fence) add_one(lock_.bad_fences);
    raise(lock_.greatest_fence, fence_);
    raise(lock_.last_call, call.time);
}

void visit::check_company() const
{
    // A worker that is in at both looks, with the same visit, was in between them too. So all that are
    // counted were in at the same time.
    struct other {
        const presence* at;
        std::uint64_t entry;
        std::uint64_t calm;
    };
    std::array<other, most_workers> seen{};
    std::size_t count = 0;
    const auto in = [&](const presence& one) {
        const bool harmless = reading_ && one.reading.load() != 0;
        return !harmless && one.until.load() != 0;
    };
    for (std::size_t i = 0; i < most_workers; ++i) {
        const presence& one = shared_.workers[i].in[index_of(kind_)];
        if (i == worker_ || !in(one)) continue;
        seen[count++] = {.at = &one, .entry = one.entry.load(), .calm = one.calm.load()};
    }
    const nanoseconds_t own_until = own_.until.load();
    const std::uint64_t calm = own_.calm.load();
    std::size_t others = 0;
    std::size_t of_this_period = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const nanoseconds_t until = seen[i].at->until.load();
        if (seen[i].at->entry.load() != seen[i].entry) continue;
        if (std::min(until, own_until) <= clock_now()) continue;
        ++others;
        if (calm != 0 && seen[i].calm == calm) ++of_this_period;
    }
    const std::size_t allowed = kind_ == kind::semaphore ? permits - 1 : 0;
    if (others <= allowed) return;
    add_one(of_this_period > allowed ? lock_.in_calm : lock_.too_many);
}

bool visit::is_valid() const
{
    return held_.valid_for() > held_.valid_for().zero();
}

void visit::use_register(history& record, std::uint64_t fence, std::chrono::microseconds work)
{
    if (kind_ == kind::semaphore) return;  // its fences are no order of writers
    if (reading_) {
        // A greater fence was written by a later writer. It must not be in while this one is. If
        // the reader's fence was old from the beginning, that says nothing.
        if (!old_fence_ && lock_.data.fence() > fence_ && is_valid()) add_one(lock_.refused_valid);
        return;
    }
    const std::uint64_t id = record.begin(kind_, fence);
    const std::optional<std::uint64_t> value = lock_.data.claim(fence);
    if (value && work > work.zero()) stay(work);
    const bool written = value && lock_.data.write(fence, *value + 1);
    record.end(id, written ? value : std::nullopt);
    if (written) {
        add_one(lock_.increments);
        return;
    }
    add_one(lock_.refused_writes);
    if (is_valid()) add_one(lock_.refused_valid);
}

void visit::stay(std::chrono::microseconds span)
{
    const nanoseconds_t end = clock_now() + count(span);
    const std::stop_callback when_lost{held_.lost(), [this] { own_.until.store(0); }};
    while (show()) {
        const nanoseconds_t left = end - clock_now();
        if (left <= 0) return;
        std::this_thread::sleep_for(
            std::min(std::chrono::nanoseconds{left}, std::chrono::nanoseconds{step}));
    }
}

}  // namespace pawl::faults
