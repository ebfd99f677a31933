// Uncontended locks over a majority of servers, over bare sockets.
#pragma once

#include "board.h"
#include "free_locks.h"
#include "pawl_in_flight.h"
#include "spoken_majority.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace pawl::bench {

// One after the other.
class quorum_free_locks final : public free_locks {
public:
    // The dialogues must outlive it.
    quorum_free_locks(const std::vector<std::string>& nodes, const std::vector<dialogue>& what,
                      std::size_t thread);

    void cycle() override;

private:
    spoken_majority quorum_;
    std::vector<spoken_majority::lock> locks_;
    std::size_t next_ = 0;
};

// Like spoken_in_flight.h.
class quorum_in_flight {
public:
    // The dialogues must outlive it.
    quorum_in_flight(const std::vector<std::string>& nodes, const std::vector<dialogue>& what,
                     seat& mine, const in_flight_locks& which);

    // Returns when `over` has become true and the last cycle has ended.
    void run(const std::function<bool()>& over);

private:
    struct place {
        std::vector<spoken_majority::lock> locks{};
        std::size_t next = 0;
        std::int64_t began = 0;
    };

    void begin(place& where);

    seat& mine_;
    spoken_majority quorum_;
    std::vector<place> places_;
};

}  // namespace pawl::bench
