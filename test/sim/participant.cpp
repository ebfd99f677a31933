#include "sim/participant.h"

#include "sim/async_calls.h"
#include "sim/background.h"
#include "store/redis/single_server.h"
#include "sync/client_access.h"
#include "sync/surroundings.h"

#include <pawl/error.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace pawl::sim {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

milliseconds in_ms(nanoseconds value)
{
    return std::max(std::chrono::duration_cast<milliseconds>(value), 1ms);
}

way_in other_side(const way_in& how)
{
    return how.reads ? way_in{.weight = writer_weight} : way_in{.reads = true};
}

}  // namespace

participant::participant(stage& stage, unsigned number, drifting_clock clock, dice dice)
    : stage_{&stage},
      process_{std::make_shared<sim::process>(stage.world, number, clock, dice.stream(1))},
      dice_{dice},
      threads_{stage.what.threads}
{
    network_.delay = stage.what.delay;
    make_client();
    for (const auto& each : stage.what.locks) make_lock(each);
}

participant::~participant()
{
    locks_.clear();
    client_.reset();
}

void participant::make_client()
{
    const auto& plan = stage_->what;
    client_options options;
    options.command_limit = plan.command_limit;
    options.connect_limit = std::min<milliseconds>(plan.command_limit, 2s);
    options.clock_drift = plan.drift;
    options.on_event = [this](const event& what) { stage_->checker.heard(*process_, what); };

    auto way = std::make_unique<sim::transport>(
        stage_->world, stage_->server, process_, network_, dice_.stream(2),
        sim::transport::limits{.connect = options.connect_limit, .command = options.command_limit});
    way->on_send([this](const auto& words) { stage_->checker.sent(*process_, words); });
    way->on_submit([this](const auto& words) { stage_->checker.submitted(*process_, words); });
    way->on_call([this](const auto& words) { stage_->checker.called(*process_, words); });
    way->on_arrival([this] { stage_->checker.arrived(*process_); });
    transport_ = way.get();
    sync::surroundings around{
        .platform = process_,
        .stops = std::make_unique<sim_dispatcher>(process_),
        .handlers = std::make_unique<sim_dispatcher>(process_),
        .loop = std::make_unique<sim_scheduler>(process_),
        .store = std::make_shared<store::single_server>(process_, std::move(way), plan.drift)};
    client_.reset(new client(client_access::make(std::move(options), std::move(around))));
}

void participant::make_lock(const lock_plan& what)
{
    auto made = std::make_unique<lock_here>();
    const auto& plan = stage_->what;
    // Processes may have different settings.
    made->options.lease = std::max<milliseconds>(
        10ms, in_ms(plan.lease * dice_.one_of({50, 100, 100, 100, 200}) / 100));
    made->options.renew = plan.is_calm() || what.linger > 0ms || dice_.chance(0.6);
    if (what.what == lock_plan::kind::polling) made->options.wait = poll{plan.poll_interval};
    made->options.linger = what.linger;
    if (plan.kinds == family::exclusive) made->options.layout = what.how_stored;
    made->options.announce = dice_.chance(0.5);
    stage_->checker.lease_asked(made->options.lease);
    make_doors(*made, what);
    locks_.push_back(std::move(made));
}

void participant::make_doors(lock_here& made, const lock_plan& what)
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
    case lock_plan::kind::shared:
    case lock_plan::kind::readers_first: {
        const auto policy = what.what == lock_plan::kind::shared ? reader_policy::in_order
                                                                 : reader_policy::readers_first;
        auto& both = made.shared.emplace(*client_, what.name, made.options, policy);
        for (const auto& how : what.ways()) enter_by(how.reads ? both.shared() : both, how);
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
    case lock_plan::kind::once:
        made.once.emplace(*client_, what.name, what.period,
                          once_options{.aligned = what.aligned, .retry_failed = what.retries},
                          made.options);
        break;
    }
}

void participant::start()
{
    for (unsigned i = 0; i < threads_; ++i) {
        process_->start_thread([this, dice = dice_.stream(100 + i)] { run_thread(dice); });
    }
}

void participant::crash()
{
    process_->crash();
    locks_.clear();
    client_.reset();
    transport_ = nullptr;
}

void participant::leave()
{
    process_->start_thread([this] {
        locks_.clear();
        client_.reset();
        transport_ = nullptr;
    });
}

void participant::sleep(nanoseconds duration)
{
    if (process_->is_dead()) return;
    signal woken;
    const std::stop_callback watch{stage_->drain.get_token(), [&] { woken.set(); }};
    process_->wait(woken, process_->now() + duration);
}

void participant::run_thread(dice dice)
{
    while (!stage_->draining && !process_->is_dead()) one_cycle(dice);
    if (!process_->is_dead()) last_cycle(dice);
}

void participant::one_cycle(dice& dice)
{
    sleep(dice.every(stage_->what.think));
    if (stage_->draining || process_->is_dead()) return;
    if (stage_->what.kinds == family::once) return once_cycle(dice);
    const auto what = choose(dice);
    if (what.by.locks != nullptr && dice.chance(0.1)) {
        lock_and_unlock(dice, what);
    } else if (auto held = try_to_get(dice, what)) {
        critical_section(dice, what, std::move(*held));
    }
}

participant::wish participant::choose(dice& dice)
{
    const auto lock = dice.below(locks_.size());
    const auto& doors = locks_[lock]->doors;
    const auto chosen = doors.size() == 1 ? 0 : dice.below(doors.size());
    return {.lock = lock, .by = doors[chosen], .since = stage_->world.now()};
}

entry participant::entry_of(const wish& what) const
{
    const auto& options = locks_[what.lock]->options;
    return {.lock = what.lock,
            .how = what.by.how,
            .renewed = options.renew,
            .lease = options.lease,
            .asked = what.since};
}

// Like a std::timed_mutex.
void participant::lock_and_unlock(dice& dice, const wish& what)
{
    auto& mutex = *what.by.locks;
    const auto lock = what.lock;
    const auto id_before = process_->last_id();
    const auto began = process_->now();
    std::error_code ec = errc::timed_out;
    try {
        const auto limit = dice.spread(stage_->what.delay, 3 * stage_->what.lease);
        const checker::wait waits{stage_->checker, lock, what.by.how};
        if (mutex.try_lock_for(limit)) ec.clear();
    } catch (const error& e) {
        ec = e.code();
    }
    if (ec) {
        stage_->checker.acquire_failed(
            *process_, lock, ec,
            {.since = began, .waits = true, .fresh = process_->last_id() != id_before});
        return;
    }
    auto& held = *mutex.current();
    auto& mine = stage_->checker.granted(*process_, held, entry_of(what));
    work(dice, mine, held);
    const auto valid_until = process_->now() + held.valid_for();
    stage_->checker.releasing(mine);
    mutex.unlock(ec);
    stage_->checker.released(mine, ec, valid_until);
    stage_->checker.ended(mine);
}

std::optional<hold> participant::try_to_get(dice& dice, const wish& what)
{
    auto& mutex = *what.by.what;
    const auto lock = what.lock;
    std::stop_source change_of_mind;
    std::stop_token token = stage_->drain.get_token();
    if (stage_->what.has(fault::cancels) && dice.chance(0.3)) {
        ++stage_->fired[static_cast<std::size_t>(fault::cancels)];
        process_->after(dice.spread(stage_->what.delay, stage_->what.lease),
                        [change_of_mind]() mutable { change_of_mind.request_stop(); });
        token = change_of_mind.get_token();
    }
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
        const checker::wait waits{stage_->checker, lock, what.by.how};
        const auto limit =
            dice.chance(0.5)
                ? time_limit::never()
                : time_limit::after(dice.spread(stage_->what.delay, 3 * stage_->what.lease));
        got = acquire_async(*process_, mutex, limit, token, ec);
        break;
    }
    case 1: {
        const checker::wait waits{stage_->checker, lock, what.by.how};
        got = mutex.try_acquire_for(dice.spread(stage_->what.delay, 3 * stage_->what.lease), token,
                                    ec);
        break;
    }
    default: {
        const checker::wait waits{stage_->checker, lock, what.by.how};
        if (auto held = mutex.acquire(token, ec); !ec) got = std::move(held);
        break;
    }
    }
    // It was granted in time, but this thread ran too late to use it.
    const bool late = got && got->valid_for() <= 0ns;
    if (late && asynchronous && stage_->what.has(fault::slow_threads)) return std::nullopt;
    if (!got) {
        const bool waits = how != 0 && how != 3;
        stage_->checker.acquire_failed(
            *process_, lock, ec,
            {.since = began, .waits = waits, .fresh = process_->last_id() != id_before});
    }
    return got;
}

void participant::critical_section(dice& dice, const wish& what, hold held)
{
    auto& mine = stage_->checker.granted(*process_, held, entry_of(what));
    work(dice, mine, held);
    if (auto changed = change_sides(dice, what, mine, held)) {
        auto other = what;
        other.by.how = other_side(what.by.how);
        stage_->checker.releasing(mine);
        stage_->checker.ended(mine);
        critical_section(dice, other, std::move(*changed));
        return;
    }
    give_back(dice, mine, held);
    stage_->checker.ended(mine);
}

// A writer becomes a reader, or a reader the writer. Returns the new hold.
std::optional<hold> participant::change_sides(dice& dice, const wish& what, belief& mine,
                                              hold& held)
{
    auto& lock = locks_[what.lock]->shared;
    if (!lock || process_->is_dead() || !dice.chance(0.2)) return std::nullopt;
    const auto id_before = process_->last_id();
    std::optional<hold> changed;
    std::error_code ec;
    stage_->checker.changing(mine);
    if (what.by.how.reads) {
        changed = lock->try_upgrade(held, ec);
    } else if (auto reader = lock->downgrade(std::move(held), ec); !ec) {
        changed = std::move(reader);
    }
    if (changed) return changed;
    if (process_->last_id() != id_before) stage_->checker.gave_up(*process_, what.lock);
    stage_->checker.not_changed(mine, ec);
    return std::nullopt;
}

void participant::work(dice& dice, belief& mine, hold& held)
{
    const bool careful = dice.chance(0.5);
    const auto steps = dice.between(1, 4);
    const auto whole = dice.every(stage_->what.work);
    std::error_code ec;
    for (std::int64_t i = 0; i < steps && !process_->is_dead(); ++i) {
        sleep(whole / steps);
        if (process_->is_dead() || (careful && mine.told.stop_requested())) return;
        stage_->checker.write(mine);
        const auto extension = in_ms(dice.spread(10ms, 3 * mine.lease));
        switch (dice.below(10)) {
        case 0:
        case 1:
            stage_->checker.lease_asked(extension);
            if (dice.chance(0.3)) {
                extend_async(*process_, held, std::max(extension, 10ms), ec);
            } else {
                held.extend(std::max(extension, 10ms), ec);
            }
            stage_->checker.answered(mine, "extend", ec);
            break;
        case 2:
            stage_->checker.lease_asked(extension + extension / 5 + 50ms +
                                        2 * stage_->what.command_limit);
            held.ensure(std::max(extension, 10ms), ec);
            stage_->checker.answered(mine, "ensure", ec);
            break;
        case 3:
            static_cast<void>(held.confirm(ec));
            stage_->checker.answered(mine, "confirm", ec);
            break;
        case 4:
        case 5: enter_again(dice, mine); break;
        default: break;
        }
    }
}

void participant::enter_again(dice& dice, const belief& outer)
{
    auto& here = *locks_[outer.lock];
    if (!here.recursive || outer.held->valid_for() <= 0ns) return;
    std::error_code ec;
    auto inner = here.recursive->try_acquire(ec);
    if (!inner) {
        stage_->checker.answered(outer, "enter again", ec);
        return;
    }
    if (inner->id() != outer.holder) {
        // The outer hold was lost meanwhile, so this is a separate grant.
        critical_section(dice, {outer.lock, here.doors.front(), stage_->world.now()},
                         std::move(*inner));
        return;
    }
    stage_->checker.entered_again(outer, *inner);
    sleep(dice.every(stage_->what.work / 4));
    inner->release(ec);
}

void participant::give_back(dice& dice, belief& mine, hold& held)
{
    const auto valid_until = process_->now() + held.valid_for();
    stage_->checker.releasing(mine);
    if (dice.chance(0.2)) {
        held = hold{};
        return;
    }
    std::error_code ec;
    if (dice.chance(0.3)) {
        release_async(*process_, std::move(held), ec);
    } else {
        held.release(ec);
    }
    stage_->checker.released(mine, ec, valid_until);
}

// After the faults, every thread enters every lock once more, in every way, and must get in.
void participant::last_cycle(dice& dice)
{
    if (stage_->what.kinds == family::once) return last_once(dice);
    for (std::size_t lock = 0; lock < locks_.size(); ++lock) {
        for (std::size_t i = 0; i < locks_[lock]->doors.size(); ++i) {
            get_for_sure(dice, {lock, locks_[lock]->doors[i], stage_->world.now()});
        }
    }
    ++satisfied_;
}

void participant::get_for_sure(dice& dice, const wish& what)
{
    while (!process_->is_dead()) {
        const auto id_before = process_->last_id();
        const auto began = process_->now();
        std::error_code ec;
        hold held;
        {
            const checker::wait waits{stage_->checker, what.lock, what.by.how};
            held = what.by.what->acquire(ec);
        }
        if (!ec) {
            critical_section(dice, what, std::move(held));
            return;
        }
        stage_->checker.acquire_failed(
            *process_, what.lock, ec,
            {.since = began, .waits = true, .fresh = process_->last_id() != id_before});
    }
}

}  // namespace pawl::sim
