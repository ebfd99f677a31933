// Tests core::local_queue with a model of its users, in any possible order of events.
#include "core/local_queue.h"

#include "unit/at.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>
#include <set>
#include <vector>

namespace pawl::core {
namespace {

using turn = local_queue::turn;
using ending = local_queue::ending;
using ticket = local_queue::ticket;

class users {
public:
    // The possible events. An event that is impossible at the moment does nothing.
    enum class act {
        arrive,
        look,  // the first waiter, because it was woken
        look_unasked,
        leave,
        answer_yes,  // to the caller that asks the server, or to a keep
        answer_no,
        stay_silent,    // for a whole command limit
        give_up_early,  // the caller that asks gives up, without an answer
        grant_beside,   // a caller asked the server without the queue
        release,
        release_unsound,
        release_without_fence,
        release_to_linger,
        lose,
        pass_time,
    };
    static constexpr int acts = static_cast<int>(act::pass_time) + 1;

    void happens(act what, unsigned which)
    {
        switch (what) {
        case act::arrive: arrive(); break;
        case act::look:
            if (woken_) look(*woken_);
            break;
        case act::look_unasked:
            if (!line_.empty()) look(line_[which % line_.size()]);
            break;
        case act::leave:
            if (!line_.empty()) leave(line_[which % line_.size()]);
            break;
        case act::answer_yes: answer(true); break;
        case act::answer_no: answer(false); break;
        case act::stay_silent: no_answer(true); break;
        case act::give_up_early: no_answer(false); break;
        case act::grant_beside:
            if (lock_ == lock::absent) grant();
            break;
        case act::release: release({.sound = true, .has_fence = true, .lingers = false}); break;
        case act::release_unsound:
            release({.sound = false, .has_fence = true, .lingers = true});
            break;
        case act::release_without_fence:
            release({.sound = true, .has_fence = false, .lingers = which % 2 == 0});
            break;
        case act::release_to_linger:
            release({.sound = true, .has_fence = true, .lingers = true});
            break;
        case act::lose: lose(); break;
        case act::pass_time: now_ += std::chrono::microseconds{which % 3000}; break;
        }
        wake();
    }

    // From here on nothing goes wrong, so every waiter gets its turn.
    void settle()
    {
        const auto bound = 10 * line_.size() + 10;
        for (std::size_t i = 0; i < bound && !line_.empty(); ++i) {
            answer(true);
            release({.sound = true, .has_fence = true, .lingers = false});
            wake();
            if (woken_) look(*woken_);
        }
        RC_ASSERT(line_.empty());
        RC_ASSERT(!queue_.has_waiters());
    }

private:
    enum class lock { absent, held, keeping, idle };

    void arrive()
    {
        const auto got = queue_.arrive();
        if (got == turn::wait) {
            // There must be a reason to wait.
            RC_ASSERT(lock_ == lock::held || lock_ == lock::keeping || asks_ || !line_.empty());
            line_.push_back(queue_.line_up());
            RC_ASSERT(known_.insert(line_.back()).second);
            return;
        }
        got_turn(got);
    }

    void look(ticket who)
    {
        const auto got = queue_.look(who);
        if (woken_ == who) woken_.reset();
        if (got == turn::wait) return;
        RC_ASSERT(got != turn::give_up);
        RC_ASSERT(who == line_.front());
        line_.pop_front();
        got_turn(got);
    }

    void leave(ticket who)
    {
        queue_.leave(who);
        if (woken_ == who) woken_.reset();
        std::erase(line_, who);
    }

    void got_turn(turn what)
    {
        if (what == turn::take) {
            RC_ASSERT(lock_ == lock::idle);
            lock_ = lock::held;
        } else {
            RC_ASSERT(lock_ == lock::absent);
            RC_ASSERT(!asks_);
            asks_ = true;
        }
    }

    void answer(bool yes)
    {
        if (lock_ == lock::keeping) {
            lock_ = yes ? lock::idle : lock::absent;
            yes ? queue_.kept(now_) : queue_.gone();
        } else if (asks_) {
            asks_ = false;
            queue_.asked();
            // While this process has the lock, the server grants it to no other request.
            if (yes && lock_ == lock::absent) grant();
        }
    }

    // All waiters are told when the patience is over, unless this process has the lock.
    void no_answer(bool for_a_limit)
    {
        bool told = false;
        if (lock_ == lock::keeping && for_a_limit) {
            lock_ = lock::absent;
            told = queue_.kept_in_vain();
            RC_ASSERT(told == !asks_);
        } else if (asks_) {
            asks_ = false;
            told = queue_.asked_in_vain({.since = now_, .out_of_patience = for_a_limit}, now_);
            RC_ASSERT(told == (for_a_limit && lock_ == lock::absent));
        }
        if (!told) return;
        for (const auto each : line_) RC_ASSERT(queue_.look(each) == turn::give_up);
        line_.clear();
        woken_.reset();
    }

    void grant()
    {
        lock_ = lock::held;
        queue_.granted(now_);
    }

    void release(local_queue::condition how)
    {
        if (lock_ != lock::held) return;
        switch (queue_.release(how, now_)) {
        case ending::pass_on:
            RC_ASSERT(!line_.empty());
            lock_ = lock::idle;
            break;
        case ending::linger:
            RC_ASSERT(line_.empty() && how.lingers);
            lock_ = lock::idle;
            break;
        case ending::keep:
            RC_ASSERT(how.lingers || !line_.empty());
            lock_ = lock::keeping;
            break;
        case ending::give_back:
            RC_ASSERT(!how.sound || line_.empty());
            lock_ = lock::absent;
            queue_.gone();
            break;
        }
    }

    void lose()
    {
        lock_ = lock::absent;
        queue_.gone();
    }

    void wake()
    {
        if (const auto next = queue_.to_wake(now_)) {
            RC_ASSERT(!line_.empty());
            RC_ASSERT(*next == line_.front());
            RC_ASSERT(woken_ != *next);
            woken_ = *next;
        }
        const bool there = lock_ == lock::idle || (lock_ == lock::absent && !asks_);
        if (there && !line_.empty()) RC_ASSERT(woken_ == line_.front());
        RC_ASSERT(queue_.is_idle() == (lock_ == lock::idle));
        RC_ASSERT(queue_.has_waiters() == !line_.empty());
    }

    local_queue queue_;
    base::boot_time now_ = test::at(0);
    lock lock_ = lock::absent;
    bool asks_ = false;
    std::deque<ticket> line_;
    std::set<ticket> known_;
    std::optional<ticket> woken_;  // and has not looked since
};

RC_GTEST_PROP(local_queue_model, no_waiter_is_forgotten_and_there_is_never_more_than_one_holder, ())
{
    const auto count = *rc::gen::inRange(0, 200);
    users all;
    for (int i = 0; i < count; ++i) {
        const auto what = static_cast<users::act>(*rc::gen::inRange(0, users::acts));
        all.happens(what, *rc::gen::inRange(0U, 10'000U));
    }
    all.settle();
}

}  // namespace
}  // namespace pawl::core
