// Users of what is held: locks, a lock with its condition, and runs of a once_per.
#include "faults/user.h"

#include <optional>
#include <thread>
#include <utility>

namespace pawl::faults {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds short_wait{20};

class lock_user final : public user {
public:
    lock_user(const workplace& at, client& own, kind which)
        : user{at, which}, made_{make_lock(which, own, own_part(), options())}
    {
    }

private:
    void turn(const std::stop_token& stop) override
    {
        const bool other = made_.other != nullptr && one_in(2);
        const call_begin call{at_.shared, kind_};
        std::error_code ec;
        std::optional<hold> held = take(other ? *made_.other : *made_.lock, stop, ec);
        if (!held) return note(ec);
        stay_in(*held, call, other && kind_ == kind::shared_mutex);
        held->release(ec);
        note(ec);
    }

    [[nodiscard]] std::optional<hold> take(acquirable& from, const std::stop_token& stop,
                                           std::error_code& ec)
    {
        if (one_in(20)) return from.try_acquire(stop, ec);
        if (one_in(10)) return from.try_acquire_for(short_wait, stop, ec);
        hold held = from.acquire(stop, ec);
        return ec ? std::nullopt : std::optional{std::move(held)};
    }

    made_lock made_;
};

// Half of the workers wait for a signal, without a limit. The others give signals, so a waiter that is
// forgotten is late, and nobody else is.
class condition_user final : public user {
public:
    condition_user(const workplace& at, client& own)
        : user{at, kind::condition},
          mutex_{own, name_of(kind_), options()},
          signalled_{mutex_, "signalled"},
          waits_{at.order.place % 2 == 1}
    {
    }

private:
    void turn(const std::stop_token& stop) override
    {
        std::optional<call_begin> call;
        call.emplace(at_.shared, kind_);
        std::error_code ec;
        hold held = mutex_.acquire(stop, ec);
        if (ec) return note(ec);
        if (waits_) {
            const std::uint64_t seen = lock_.signals.load();
            const bool told = signalled_.wait(
                held, stop,
                [&] {
                    if (lock_.signals.load() != seen) return true;
                    call.emplace(at_.shared, kind_);  // the lock is granted anew
                    return false;
                },
                ec);
            if (ec || !told) return note(ec);
        }
        stay_in(held, *call);
        if (!waits_) ++lock_.signals;
        held.release(ec);
        note(ec);
        if (waits_) return;
        signalled_.notify_one(ec);
        note(ec);
    }

    mutex mutex_;
    condition_variable signalled_;
    bool waits_;
};

class once_user final : public user {
public:
    once_user(const workplace& at, client& own)
        : user{at, kind::once_per}, job_{own, name_of(kind_, own_part()), period, {}, options()}
    {
    }

private:
    static constexpr milliseconds period{50};
    static constexpr milliseconds rounding{2};  // the server counts whole milliseconds

    void turn(const std::stop_token& stop) override
    {
        const call_begin call{at_.shared, kind_};
        std::error_code ec;
        std::optional<once_per::turn> run = job_.try_begin(stop, ec);
        if (!run) {
            note(ec);
            std::this_thread::sleep_for(period / 10);
            return;
        }
        check_period(run->held(), call);
        stay_in(run->held(), call);
        run->done(ec);
        note(ec);
    }

    // The server began the last run after its call had begun, and this run before now.
    void check_period(const hold& held, const call_begin& call)
    {
        const std::uint64_t calm = at_.shared.calm.load() == call.calm ? call.calm : 0;
        const nanoseconds_t last = lock_.once.last_begin.load();
        const std::uint64_t last_calm = lock_.once.last_calm.exchange(calm);
        raise(lock_.once.last_begin, call.time);
        const nanoseconds_t between_runs = clock_now() - last;
        // If the lock was lost meanwhile, the last run may have been a later one.
        if (held.valid_for() == held.valid_for().zero()) return;
        if (between_runs >= count(period - rounding)) return;
        ++(calm != 0 && last_calm == calm ? lock_.in_calm : lock_.too_many);
    }

    once_per job_;
};

}  // namespace

std::unique_ptr<user> make_lock_user(const workplace& at, client& own, kind which)
{
    return std::make_unique<lock_user>(at, own, which);
}

std::unique_ptr<user> make_condition_user(const workplace& at, client& own)
{
    return std::make_unique<condition_user>(at, own);
}

std::unique_ptr<user> make_once_user(const workplace& at, client& own)
{
    return std::make_unique<once_user>(at, own);
}

}  // namespace pawl::faults
