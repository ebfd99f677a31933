#include "sync/local_lock.h"

#include "base/mutant.h"
#include "sync/server_lock.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace pawl::sync {

using base::boot_time;

namespace {

// How long it is kept for someone who was woken and does not run.
constexpr std::chrono::milliseconds longest_wake_up{10};

// As many numbers as the lock is passed on before the server is asked again.
constexpr unsigned reserve_size = core::local_queue::most_passes;

// Whose turn it is may ask once, however late it is.
time_limit what_is_left(time_limit limit, boot_time until, boot_time now)
{
    if (limit.is_never()) return limit;
    return time_limit::after(
        std::max<std::chrono::nanoseconds>(until - now, std::chrono::nanoseconds{1}));
}

}  // namespace

local_lock::local_lock(client_state& client, settings_ptr settings, std::weak_ptr<local_locks> all)
    : client_{&client}, settings_{std::move(settings)}, all_{std::move(all)}
{
}

local_lock::~local_lock()
{
    if (const auto all = all_.lock()) all->part_from(*this);
}

local_lock::result local_lock::acquire(time_limit limit, const std::stop_token& stop)
{
    using kind = standing::kind;
    auto& platform = client_->platform();
    const auto until = limit.is_never() ? boot_time::max() : platform.now() + limit.wait();
    auto mine = arrive(!limit.is_now(), nullptr, release_mode::waits);
    if (mine.what == kind::waits) {
        if (!wait_for_turn(mine, until, stop)) {
            return trouble{stop.stop_requested() ? errc::cancelled : errc::timed_out, {}};
        }
        limit = what_is_left(limit, until, platform.now());
    }
    switch (mine.what) {
    case kind::has_it: return std::move(mine.granted);
    case kind::busy: return trouble{errc::busy, {}};
    case kind::gives_up: return std::move(mine.why);
    default: return ask(mine.what == kind::asks_beside, limit, stop);
    }
}

// False if the limit passed or stop was requested before.
bool local_lock::wait_for_turn(standing& mine, boot_time until, const std::stop_token& stop)
{
    using kind = standing::kind;
    const auto number = mine.number;
    try {
        while (true) {
            std::stop_source woken;
            mine = look(number, [woken]() mutable { woken.request_stop(); }, release_mode::waits);
            if (mine.what != kind::waits) return true;
            if (stop.stop_requested() || client_->platform().now() >= until) break;
            const std::stop_callback watch{stop, [&woken] { woken.request_stop(); }};
            static_cast<void>(client_->platform().sleep(until, woken.get_token()));
        }
    } catch (const std::system_error&) {
        leave(number);  // out of descriptors
        throw;
    }
    leave(number);
    return false;
}

local_lock::standing local_lock::arrive(bool may_wait, const waker& wake, release_mode how)
{
    guard held{mutex_};
    notice_loss();
    const auto my_turn = queue_.arrive();
    if (my_turn == turn::wait && !may_wait) {
        const auto what = lease_ ? standing::kind::busy : standing::kind::asks_beside;
        wake_next(held);
        return {.what = what};
    }
    const auto number = my_turn == turn::wait ? queue_.line_up() : ticket{};
    return stand(held, my_turn, number, wake, how);
}

local_lock::standing local_lock::look(ticket mine, const waker& wake, release_mode how)
{
    guard held{mutex_};
    notice_loss();
    const auto my_turn = queue_.look(mine);
    if (my_turn != turn::wait) asleep_.erase(mine);
    return stand(held, my_turn, mine, wake, how);
}

local_lock::standing local_lock::stand(guard& held, turn my_turn, ticket mine, const waker& wake,
                                       release_mode how)
{
    using kind = standing::kind;
    standing now;
    switch (my_turn) {
    case turn::take: now = {.what = kind::has_it, .granted = take(how)}; break;
    case turn::ask: now = {.what = kind::asks}; break;
    case turn::wait:
        now = {.what = kind::waits, .granted = nullptr, .number = mine};
        asleep_[mine] = wake;
        break;
    case turn::give_up: now = {.what = kind::gives_up, .why = in_vain_}; break;
    }
    wake_next(held);
    return now;
}

void local_lock::leave(ticket mine)
{
    guard held{mutex_};
    asleep_.erase(mine);
    queue_.leave(mine);
    if (queue_.is_idle()) stay_or_drop();
    wake_next(held);
}

// Who asks for all who wait here, or, with `beside`, for himself alone: he will not wait.
local_lock::result local_lock::ask(bool beside, time_limit limit, const std::stop_token& stop)
{
    auto how = begin_to_ask(beside, limit);
    const auto reserve = how.reserve;
    try {
        auto got = take_from_server(*client_, settings_, std::move(how), stop);
        return asked(beside, reserve, std::move(got), release_mode::waits);
    } catch (const std::system_error& e) {
        // Out of descriptors: the next one may be luckier.
        static_cast<void>(
            asked(beside, reserve, not_taken{{errc::unreachable, e.what()}}, release_mode::waits));
        throw;
    }
}

taking local_lock::begin_to_ask(bool beside, time_limit limit)
{
    const std::scoped_lock held{mutex_};
    const bool may_pass_on =
        settings_->renew && (queue_.has_waiters() || settings_->linger.count() > 0);
    if (settings_->linger.count() > 0) client_->room().listen();
    // Until we hear, anyone may have asked for it.
    if (!beside) wanted_ = false;
    if (!client_->room().is_listening()) wanted_ = true;
    return {.limit = limit,
            .reserve = may_pass_on ? reserve_size : 0,
            .hint = std::exchange(hint_, {}),
            .silent_before = beside ? base::boot_clock::duration{} : queue_.silent_before(),
            .watcher = weak_from_this()};
}

local_lock::result local_lock::asked(bool beside, unsigned reserve, taken got, release_mode how)
{
    guard held{mutex_};
    if (auto* const failed = std::get_if<not_taken>(&got)) {
        at_once_ = 0;
        beside ? wake_next(held) : failed_to_ask(held, *failed);
        return std::move(failed->why);
    }
    if (!beside) queue_.asked();
    auto granted = adopt(std::get<core::lease_ptr>(got), reserve, how);
    // It may have been lost before we knew that it was here.
    notice_loss();
    wake_next(held);
    return granted;
}

// Tells those who wait behind the one who asked, or lets the next of them ask. Lets go of the mutex.
void local_lock::failed_to_ask(guard& held, const not_taken& got)
{
    bool in_vain = false;
    if (got.silence) {
        in_vain = queue_.asked_in_vain(*got.silence, client_->platform().now());
    } else {
        queue_.asked();
    }
    if (in_vain) in_vain_ = got.why;
    in_vain ? wake_all(held) : wake_next(held);
}

std::shared_ptr<grant> local_lock::adopt(const core::lease_ptr& lease, unsigned reserve,
                                         release_mode how)
{
    // What was idle here meanwhile the server must have forgotten: it granted the lock anew.
    if (queue_.is_idle()) drop();
    lease_ = lease;
    at_once_ = lease->hint ? at_once_ + 1 : 0;
    hint_ = at_once_ >= often_enough ? lease->hint : core::hint{};
    next_fence_ = lease->fence + 1;
    last_fence_ = lease->fence + reserve;
    queue_.granted(client_->platform().now());
    return std::make_shared<grant>(client_->shared_from_this(), lease, shared_from_this(), how);
}

std::shared_ptr<grant> local_lock::take(release_mode how)
{
    const auto number =
        base::is(base::mutant::pass_on_stale_fence) ? lease_->fence.load() : next_fence_++;
    client_->leases().pass_on(lease_, number);
    return std::make_shared<grant>(client_->shared_from_this(), lease_, shared_from_this(), how);
}

maybe_trouble local_lock::release(const core::lease_ptr& lease)
{
    switch (begin_release(lease)) {
    case rest_of_release::nothing: break;
    case rest_of_release::give_back: return give_to_server(*client_, lease);
    case rest_of_release::keep: return kept(lease, ask_to_keep(lease));
    }
    return std::nullopt;
}

local_lock::keep_answer local_lock::ask_to_keep(const core::lease_ptr& lease)
{
    try {
        return client_->run(keeping(lease));
    } catch (const std::system_error& e) {
        // Out of descriptors or memory: then it is given back, once that can be done.
        core::keep_reply none{
            core::failure{.what = core::failure_kind::unreachable, .detail = e.what()}};
        return keep_answer{{std::move(none), boot_time{}}};
    }
}

void local_lock::release(const core::lease_ptr& lease, result_handler done)
{
    const auto client = client_->shared_from_this();
    switch (begin_release(lease)) {
    case rest_of_release::nothing: tell_later(client, std::nullopt, std::move(done)); break;
    case rest_of_release::give_back: give_to_server(client, lease, std::move(done)); break;
    case rest_of_release::keep:
        ask_server(client, lease, keeping(lease),
                   [self = shared_from_this(), lease, done = std::move(done)](const auto& got) {
                       done(self->kept(lease, got));
                   });
        break;
    }
}

local_lock::rest_of_release local_lock::begin_release(const core::lease_ptr& lease)
{
    using ending = core::local_queue::ending;
    guard held{mutex_};
    notice_loss();
    auto left = rest_of_release::nothing;
    if (lease != lease_) {
        left = rest_of_release::give_back;
    } else {
        const auto now = client_->platform().now();
        const core::local_queue::condition now_is{
            .sound = is_sound(now), .has_fence = next_fence_ <= last_fence_, .lingers = lingers()};
        switch (queue_.release(now_is, now)) {
        case ending::pass_on:
        case ending::linger:
            rest(now);
            stay_or_drop();
            break;
        case ending::keep:
            rest(now);
            left = rest_of_release::keep;
            break;
        case ending::give_back:
            lease_ = nullptr;
            queue_.gone();
            left = rest_of_release::give_back;
            break;
        }
    }
    wake_next(held);
    return left;
}

// Asks the server whether it may stay, and what numbers there are to pass it on with.
core::keep_request local_lock::keeping(const core::lease_ptr& lease)
{
    const std::scoped_lock held{mutex_};
    return {.mine = lease->mine(),
            .lease = lease->length,
            .used = lease->state == hold_state::lost ? 0 : lease->fence.load(),
            .reserve = reserve_size,
            .reserved = last_fence_,
            .announce = lease->announce};
}

maybe_trouble local_lock::kept(const core::lease_ptr& lease, const keep_answer& got)
{
    guard held{mutex_};
    auto& leases = client_->leases();
    notice_loss();
    const auto* const stays = std::get_if<core::kept>(&got.what);
    if (lease == lease_ && stays != nullptr) {
        leases.extended(lease, lease->length, got.sent);
        lease->has_reserve = true;
        next_fence_ = stays->fence;
        last_fence_ = next_fence_ + reserve_size;
        queue_.kept(client_->platform().now());
        idle_since_ = client_->platform().now();
        stay_or_drop();
        wake_next(held);
        return std::nullopt;
    }
    const auto* const problem = std::get_if<core::failure>(&got.what);
    bool in_vain = false;
    if (lease == lease_) {
        lease_ = nullptr;
        // If nothing was sent, we are out of descriptors, and the server may well be there.
        const bool silent =
            got.sent != boot_time{} && problem != nullptr && core::is_silence(problem->what);
        in_vain = silent && queue_.kept_in_vain();
        queue_.gone();
    }
    static_cast<void>(leases.end(lease));
    if (in_vain) in_vain_ = trouble_of(*problem);
    in_vain ? wake_all(held) : wake_next(held);
    // Handed over is as good as released. If it was lost meanwhile, it had been released before.
    const auto* const status = std::get_if<core::hold_status>(&got.what);
    const bool settled = std::holds_alternative<core::handed_over>(got.what) || status != nullptr;
    const bool may_come = client_->platform().now() <= lease->wanted_until;
    if (!settled || may_come) {
        leases.give_back(lease, lease->wanted_until, lease_keeper::giving::again);
    }
    if (problem != nullptr) return trouble_of(*problem);
    return status != nullptr ? maybe_trouble{lost_because(core::cause_of(*status))} : std::nullopt;
}

void local_lock::let_go()
{
    guard held{mutex_};
    if (base::is(base::mutant::lingers_when_wanted)) return;
    wanted_ = true;
    notice_loss();
    if (queue_.is_idle() && !queue_.has_waiters()) drop();
    wake_next(held);
}

void local_lock::on_lost()
{
    guard held{mutex_};
    notice_loss();
    wake_next(held);
}

void local_lock::look_after_idle()
{
    guard held{mutex_};
    looked_after_.reset();
    notice_loss();
    if (queue_.is_idle()) stay_or_drop();
    wake_next(held);
}

// It is idle: for those who linger, or for one who was woken and will take it as soon as he runs. If he
// does not, it is not kept from everyone else.
void local_lock::stay_or_drop()
{
    auto end = idle_since_;
    if (lingers()) end += settings_->linger;
    if (queue_.has_waiters()) end = std::max(end, idle_since_ + longest_wake_up);
    if (client_->platform().now() >= end) {
        drop();
        return;
    }
    if (looked_after_ && *looked_after_ <= end) return;
    looked_after_ = end;
    client_->loop().post([self = shared_from_this(), end] {
        self->client_->loop().call_at(end, [self] { self->look_after_idle(); });
    });
}

void local_lock::notice_loss()
{
    if (!lease_) return;
    client_->leases().notice_time(lease_);
    if (lease_->is_over()) {
        lease_ = nullptr;
        queue_.gone();
    } else if (queue_.is_idle() && !is_sound(client_->platform().now())) {
        drop();
    }
}

void local_lock::drop()
{
    const auto lease = std::exchange(lease_, nullptr);
    queue_.gone();
    static_cast<void>(client_->leases().end(lease));
    client_->leases().give_back(lease, lease->wanted_until);
}

void local_lock::rest(boot_time now)
{
    idle_since_ = now;
    client_->leases().rest(lease_);
}

// As good as new, or nearly: whoever takes it shall not have to fear for it.
bool local_lock::is_sound(boot_time now) const
{
    return settings_->renew && lease_->state == hold_state::held &&
           lease_->deadline.load() - now >= settings_->lease / 2;
}

bool local_lock::lingers() const
{
    return settings_->linger.count() > 0 && !wanted_ && client_->room().is_listening();
}

// Lets go of the mutex: who is woken wants it.
void local_lock::wake_next(guard& held)
{
    waker wake;
    if (const auto next = queue_.to_wake(client_->platform().now())) wake = asleep_.at(*next);
    held.unlock();
    if (wake) wake();
}

// Likewise.
void local_lock::wake_all(guard& held)
{
    const auto all = std::exchange(asleep_, {});
    held.unlock();
    for (const auto& [number, wake] : all) {
        if (wake) wake();
    }
}

}  // namespace pawl::sync
