#include "pawl_in_flight.h"

#include "async_calls.h"
#include "free_locks.h"
#include "work.h"

namespace pawl::bench {

pawl_in_flight::pawl_in_flight(const std::string& url, seat& mine, const in_flight_locks& which)
    : mine_{mine}, client_{url}, places_(which.places)
{
    lock_options options;
    options.announce = which.announce;
    for (std::size_t number = 0; number < places_.size(); ++number) {
        places_[number].number = number;
        for (std::size_t i = 0; i < which.per_place; ++i) {
            places_[number].locks.push_back(
                std::make_unique<mutex>(client_, free_lock_name(number, i), options));
        }
    }
}

void pawl_in_flight::run(const std::function<bool()>& over)
{
    over_ = &over;
    running_ = places_.size();
    for (place& each : places_) begin(each);
    std::unique_lock guard{mutex_};
    ended_.wait(guard, [this] { return running_ == 0; });
    if (problem_) throw std::system_error{problem_, "an asynchronous call"};
}

void pawl_in_flight::begin(place& where) noexcept
{
    where.began = now_ns();
    mutex& lock = *where.locks[where.next];
    where.next = (where.next + 1) % where.locks.size();
    acquire_then(lock, time_limit::never(), [this, &where](hold held, std::error_code ec) {
        granted(where, std::move(held), ec);
    });
}

void pawl_in_flight::granted(place& where, hold held, std::error_code ec) noexcept
{
    if (ec) return end(ec);
    release_then(std::move(held),
                 [this, &where](std::error_code result) { released(where, result); });
}

void pawl_in_flight::released(place& where, std::error_code ec) noexcept
{
    if (ec) return end(ec);
    note(mine_.cycle, now_ns() - where.began);
    count(mine_.grants);
    if ((*over_)()) return end({});
    begin(where);
}

void pawl_in_flight::end(std::error_code ec) noexcept
{
    const std::scoped_lock guard{mutex_};
    if (ec && !problem_) problem_ = ec;
    if (--running_ == 0) ended_.notify_all();
}

}  // namespace pawl::bench
