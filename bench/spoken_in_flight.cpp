#include "spoken_in_flight.h"

#include "free_locks.h"
#include "work.h"

namespace pawl::bench {

spoken_in_flight::spoken_in_flight(const std::string& url, const dialogue& what, seat& mine,
                                   const in_flight_locks& which)
    : mine_{mine}, connection_{url}, places_(which.places), asked_(which.places)
{
    connection_.speak_resp3();
    std::size_t holder = 0;
    for (std::size_t number = 0; number < places_.size(); ++number) {
        for (std::size_t i = 0; i < which.per_place; ++i) {
            places_[number].locks.emplace_back(what, free_lock_name(number, i), holder++);
        }
    }
}

void spoken_in_flight::run(const std::function<bool()>& over)
{
    ending_ = false;
    for (place& each : places_) begin(each);
    while (waiting_ > 0) {
        place& next = *asked_[oldest_];
        oldest_ = (oldest_ + 1) % asked_.size();
        --waiting_;
        hear_one(next);
        if (next.turn < next.locks[next.current].turns()) {
            say(next);
            continue;
        }
        end_cycle(next);
        ending_ = ending_ || over();
        if (!ending_) begin(next);
    }
}

void spoken_in_flight::begin(place& where)
{
    where.turn = 0;
    where.began = now_ns();
    say(where);
}

void spoken_in_flight::say(place& where)
{
    where.locks[where.current].say(where.turn, requests_);
    asked_[(oldest_ + waiting_) % asked_.size()] = &where;
    ++waiting_;
}

// The collected requests are sent only when there is nothing left to read, to save system calls.
void spoken_in_flight::hear_one(place& where)
{
    spoken_cycle& lock = where.locks[where.current];
    const std::size_t lines = lock.lines(where.turn);
    for (std::size_t i = 0; i < lines; ++i) {
        auto line = connection_.line_at_hand();
        if (!line) {
            connection_.send(requests_);
            requests_.clear();
            line = connection_.read_line();
        }
        lock.hear(where.turn, i, *line);
    }
    ++where.turn;
}

void spoken_in_flight::end_cycle(place& where)
{
    note(mine_.cycle, now_ns() - where.began);
    count(mine_.grants);
    where.current = (where.current + 1) % where.locks.size();
}

}  // namespace pawl::bench
