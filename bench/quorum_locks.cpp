#include "quorum_locks.h"

#include "work.h"

namespace pawl::bench {

quorum_free_locks::quorum_free_locks(const std::vector<std::string>& nodes,
                                     const std::vector<dialogue>& what, std::size_t thread)
    : quorum_{nodes, what}
{
    for (std::size_t i = 0; i < locks_per_thread; ++i) {
        locks_.push_back(
            quorum_.make_lock(free_lock_name(thread, i), thread * locks_per_thread + i, i));
    }
}

void quorum_free_locks::cycle()
{
    quorum_.begin(locks_[next_]);
    next_ = (next_ + 1) % locks_.size();
    (void)quorum_.await_end();
}

quorum_in_flight::quorum_in_flight(const std::vector<std::string>& nodes,
                                   const std::vector<dialogue>& what, seat& mine,
                                   const in_flight_locks& which)
    : mine_{mine}, quorum_{nodes, what}, places_(which.places)
{
    std::size_t holder = 0;
    for (std::size_t number = 0; number < places_.size(); ++number) {
        for (std::size_t i = 0; i < which.per_place; ++i) {
            places_[number].locks.push_back(
                quorum_.make_lock(free_lock_name(number, i), holder++, number));
        }
    }
}

void quorum_in_flight::run(const std::function<bool()>& over)
{
    std::size_t running = places_.size();
    bool ending = false;
    for (place& each : places_) begin(each);
    while (running > 0) {
        place& ended = places_[quorum_.await_end().place];
        note(mine_.cycle, now_ns() - ended.began);
        count(mine_.grants);
        ending = ending || over();
        if (ending) {
            --running;
        } else {
            begin(ended);
        }
    }
}

void quorum_in_flight::begin(place& where)
{
    where.began = now_ns();
    spoken_majority::lock& next = where.locks[where.next];
    where.next = (where.next + 1) % where.locks.size();
    quorum_.begin(next);
}

}  // namespace pawl::bench
