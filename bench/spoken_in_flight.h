// Like pawl_in_flight.h, over one bare socket. It does as little as possible, so that the server is
// the limit.
#pragma once

#include "board.h"
#include "dialogue.h"
#include "pawl_in_flight.h"
#include "raw_connection.h"
#include "spoken_cycle.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace pawl::bench {

class spoken_in_flight {
public:
    // The dialogue must outlive it.
    spoken_in_flight(const std::string& url, const dialogue& what, seat& mine,
                     const in_flight_locks& which);

    // Returns when `over` has become true and the last cycle has ended.
    void run(const std::function<bool()>& over);

private:
    struct place {
        std::vector<spoken_cycle> locks{};
        std::size_t current = 0;
        std::size_t turn = 0;
        std::int64_t began = 0;
    };

    void begin(place& where);
    void say(place& where);
    void hear_one(place& where);
    void end_cycle(place& where);

    seat& mine_;
    raw_connection connection_;
    std::vector<place> places_;
    std::vector<place*> asked_;  // a ring: replies come in the order of requests
    std::size_t oldest_ = 0;
    std::size_t waiting_ = 0;
    std::string requests_;  // not sent yet
    bool ending_ = false;
};

}  // namespace pawl::bench
