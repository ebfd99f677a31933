#include "sim/lock_user.h"

#include "sim/async_calls.h"
#include "sim/hold_limits.h"

#include <pawl/error.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace pawl::sim {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

lock_user::lock_user(stage& stage, checker& watching, unsigned number, drifting_clock clock,
                     dice dice)
    : participant{stage, number, clock, dice}, checker_{&watching}
{
    const auto& plans = stage.what.locks;
    for (const auto& each : plans) make_lock(each);
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const bool is_stripe = plans[i].what == lock_plan::kind::striped;
        if (is_stripe && (i == 0 || plans[i - 1].whole != plans[i].whole)) make_stripes(i);
    }
}

void lock_user::make_lock(const lock_plan& what)
{
    auto made = std::make_unique<lock_here>();
    const auto& plan = stage_->what;
    // Processes may have different settings.
    made->options.lease = std::max<milliseconds>(
        10ms, in_ms(plan.lease * dice_.one_of({50, 100, 100, 100, 200}) / 100));
    made->options.renew = plan.is_calm() || what.linger > 0ms || dice_.chance(0.6);
    if (what.what == lock_plan::kind::polling) made->options.wait = poll{plan.poll_interval};
    made->options.linger = what.linger;
    const bool has_layouts = plan.kinds == family::exclusive || plan.kinds == family::many;
    if (has_layouts) made->options.layout = what.how_stored;
    made->options.announce = dice_.chance(0.5);
    limit_holding(made->options, what, dice_.stream(50));
    checker_->lease_asked(made->options.lease);
    make_doors(*made, what);
    locks_.push_back(std::move(made));
}

void lock_user::make_doors(lock_here& made, const lock_plan& what)
{
    const auto enter_by = [&made](lockable& lock, way_in how = {}) {
        made.doors.push_back({.what = &lock, .locks = &lock, .how = how});
    };
    switch (what.what) {
    case lock_plan::kind::recursive:
        enter_by(made.recursive.emplace(*client_, what.name, made.options));
        break;
    case lock_plan::kind::fair:
        enter_by(made.fair.emplace(*client_, what.name, made.options));
        break;
    case lock_plan::kind::mutex:
    case lock_plan::kind::polling:
        enter_by(made.plain.emplace(*client_, what.name, made.options));
        break;
    case lock_plan::kind::set:
        enter_by(made.set.emplace(*client_, what.parts, made.options));
        break;
    case lock_plan::kind::shared:
    case lock_plan::kind::readers_first: {
        const auto policy = what.what == lock_plan::kind::shared ? reader_policy::in_order
                                                                 : reader_policy::readers_first;
        auto& both = made.shared.emplace(*client_, what.name, made.options, policy);
        for (const auto& how : what.ways()) enter_by(how.reads ? both.shared() : both, how);
        break;
    }
    case lock_plan::kind::leader: {
        auto& where = made.leader.emplace(*client_, what.name, made.options);
        made.candidate = std::unique_ptr<pawl::leader::candidacy>(
            new pawl::leader::candidacy(where.candidate(candidate_name(process_->number()))));
        made.doors.push_back({.what = made.candidate.get()});
        break;
    }
    case lock_plan::kind::semaphore: {
        auto& all = made.semaphore.emplace(*client_, what.name,
                                           static_cast<unsigned>(what.capacity), made.options);
        for (const auto& how : what.ways()) {
            auto& some = all.permits(static_cast<unsigned>(how.weight));
            made.doors.push_back({.what = &some, .locks = nullptr, .how = how});
        }
        break;
    }
    case lock_plan::kind::striped:  // make_stripes() does it for all stripes
    case lock_plan::kind::latch:
    case lock_plan::kind::barrier:      // gate_user has these
    case lock_plan::kind::once: break;  // once_user has it
    }
}

// The ids of a striped_mutex are doors of the locks that the client has them in. The checker knows which locks
// these must be.
void lock_user::make_stripes(std::size_t first)
{
    const auto& plans = stage_->what.locks;
    const auto& whole = plans[first];
    auto& here = *locks_[first];
    auto& all = here.striped.emplace(*client_, whole.whole, whole.stripes, here.options);
    for (std::size_t i = first; i < plans.size() && plans[i].whole == whole.whole; ++i) {
        locks_[i]->options = here.options;
        for (const auto id : plans[i].ids) {
            auto& its = dice_.chance(0.5) ? all.of(id) : all.of(std::to_string(id));
            const auto found = std::ranges::find(plans, its.name(), &lock_plan::name);
            if (found == plans.end()) continue;  // the plan was made smaller
            locks_[static_cast<std::size_t>(found - plans.begin())]->doors.push_back(
                {.what = &its, .locks = &its, .how = {.stripe = i}});
        }
    }
}

void lock_user::one_cycle(dice& dice)
{
    sleep(dice.every(stage_->what.think));
    if (stage_->draining || process_->is_dead()) return;
    const auto what = choose(dice);
    if (what.by.what == nullptr) return;
    if (locks_[what.lock]->leader && dice.chance(0.25)) {
        watch_leader(dice, what.lock);
        return;
    }
    if (locks_[what.lock]->semaphore && dice.chance(0.05)) {
        const auto most = static_cast<std::int64_t>(stage_->what.locks[what.lock].capacity) + 2;
        resize(what.lock, static_cast<unsigned>(dice.between(1, most)));
    }
    if (what.by.locks != nullptr && dice.chance(0.1)) {
        lock_and_unlock(dice, what);
    } else if (auto held = try_to_get(dice, what)) {
        critical_section(dice, what, std::move(*held));
    }
}

lock_user::wish lock_user::choose(dice& dice)
{
    const auto lock = dice.below(locks_.size());
    const auto& doors = locks_[lock]->doors;
    if (doors.empty()) return {};  // with a mutant, a stripe may have no id
    const auto chosen = doors.size() == 1 ? 0 : dice.below(doors.size());
    return {.lock = lock, .by = doors[chosen], .since = stage_->world.now()};
}

entry lock_user::entry_of(const wish& what) const
{
    const auto& options = locks_[what.lock]->options;
    return {.lock = what.lock,
            .how = what.by.how,
            .renewed = options.renew,
            .lease = options.lease,
            .longest_hold = options.longest_hold,
            .heartbeat = options.heartbeat,
            .asked = what.since};
}

void lock_user::resize(std::size_t lock, unsigned capacity)
{
    const auto before = checker_->resizes_to(lock, capacity);
    std::error_code ec;
    locks_[lock]->semaphore->resize(capacity, ec);
    checker_->resized(*process_, lock, checker_->resizes_to(lock, capacity) > before, ec);
}

// Like a std::timed_mutex.
void lock_user::lock_and_unlock(dice& dice, const wish& what)
{
    auto& mutex = *what.by.locks;
    const auto lock = what.lock;
    const auto id_before = process_->last_id();
    const auto began = process_->now();
    std::error_code ec = errc::timed_out;
    try {
        const auto limit = dice.spread(stage_->what.delay, 3 * stage_->what.lease);
        const checker::wait waits{*checker_, lock, what.by.how};
        if (mutex.try_lock_for(limit)) ec.clear();
    } catch (const error& e) {
        ec = e.code();
    }
    seen_.ended(ec);
    if (ec) {
        checker_->acquire_failed(
            *process_, lock, ec,
            {.since = began, .waits = true, .fresh = process_->last_id() != id_before});
        return;
    }
    auto& held = *mutex.current();
    auto& mine = checker_->granted(*process_, held, entry_of(what));
    work(dice, mine, held);
    const auto valid_until = process_->now() + held.valid_for();
    checker_->releasing(mine);
    if (dice.chance(0.5)) {
        mutex.unlock();
    } else {
        mutex.unlock(ec);
        checker_->released(mine, ec, valid_until);
    }
    checker_->ended(mine);
}

std::optional<hold> lock_user::try_to_get(dice& dice, const wish& what)
{
    auto& mutex = *what.by.what;
    const auto lock = what.lock;
    const auto token = stop_token_for(dice);
    const auto id_before = process_->last_id();
    const auto began = process_->now();
    std::error_code ec;
    std::optional<hold> got;
    // An asynchronous caller has no thread, so it cannot re-enter a recursive_mutex.
    const auto how = dice.below(locks_[lock]->recursive ? 3 : 5);
    const bool asynchronous = how > 2;
    switch (how) {
    case 0: got = mutex.try_acquire(token, ec); break;
    case 3: got = acquire_async(*process_, mutex, time_limit::now(), token, ec); break;
    case 4: {
        const checker::wait waits{*checker_, lock, what.by.how};
        const auto limit =
            dice.chance(0.5)
                ? time_limit::never()
                : time_limit::after(dice.spread(stage_->what.delay, 3 * stage_->what.lease));
        got = acquire_async(*process_, mutex, limit, token, ec);
        break;
    }
    case 1: {
        const checker::wait waits{*checker_, lock, what.by.how};
        got = mutex.try_acquire_for(dice.spread(stage_->what.delay, 3 * stage_->what.lease), token,
                                    ec);
        break;
    }
    default: {
        const checker::wait waits{*checker_, lock, what.by.how};
        if (auto held = mutex.acquire(token, ec); !ec) got = std::move(held);
        break;
    }
    }
    seen_.ended(ec);
    // It was granted in time, but this thread ran too late to use it.
    const bool late = got && got->valid_for() <= 0ns;
    if (late && asynchronous && stage_->what.has(fault::slow_threads)) return std::nullopt;
    if (!got) {
        const bool waits = how != 0 && how != 3;
        checker_->acquire_failed(
            *process_, lock, ec,
            {.since = began, .waits = waits, .fresh = process_->last_id() != id_before});
    }
    return got;
}

// After the faults, every thread enters every lock once more, in every way, and must get in.
void lock_user::last_cycle(dice& dice)
{
    for (std::size_t lock = 0; lock < locks_.size(); ++lock) {
        for (std::size_t i = 0; i < locks_[lock]->doors.size(); ++i) {
            get_for_sure(dice, {lock, locks_[lock]->doors[i], stage_->world.now()});
        }
    }
}

void lock_user::get_for_sure(dice& dice, const wish& what)
{
    while (!process_->is_dead()) {
        const auto id_before = process_->last_id();
        const auto began = process_->now();
        std::error_code ec;
        hold held;
        {
            const checker::wait waits{*checker_, what.lock, what.by.how};
            held = what.by.what->acquire(ec);
        }
        seen_.ended(ec);
        if (!ec) {
            critical_section(dice, what, std::move(held));
            return;
        }
        // The semaphore was made smaller.
        if (auto& here = *locks_[what.lock]; here.semaphore && ec == errc::refused) {
            resize(what.lock, here.semaphore->capacity());
        }
        checker_->acquire_failed(
            *process_, what.lock, ec,
            {.since = began, .waits = true, .fresh = process_->last_id() != id_before});
    }
}

}  // namespace pawl::sim
