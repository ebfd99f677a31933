// Many cycles at once with pawl::async, over one client. When a cycle ends, the next one begins in its
// place, with the next lock of that place. Only the client's thread is used. If two processes do this with
// one lock in each place, they hand all these locks over to each other.
#pragma once

#include "board.h"

#include <pawl/client.h>
#include <pawl/hold.h>
#include <pawl/mutex.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <vector>

namespace pawl::bench {

struct in_flight_locks {
    std::size_t places = 256;  // cycles at the same time
    std::size_t per_place = 4;
    bool announce = true;
};

class pawl_in_flight {
public:
    pawl_in_flight(const std::string& url, seat& mine, const in_flight_locks& which);

    // Returns when `over` has become true and the last cycle has ended. `over` is called by the
    // client's thread. Throws if a call has failed.
    void run(const std::function<bool()>& over);

private:
    struct place {
        std::size_t number = 0;
        std::size_t next = 0;
        std::int64_t began = 0;
        std::vector<std::unique_ptr<mutex>> locks{};
    };

    void begin(place& where) noexcept;
    void granted(place& where, hold held, std::error_code ec) noexcept;
    void released(place& where, std::error_code ec) noexcept;
    void end(std::error_code ec) noexcept;

    seat& mine_;
    const std::function<bool()>* over_ = nullptr;
    std::mutex mutex_;
    std::condition_variable ended_;
    std::size_t running_ = 0;
    std::error_code problem_;
    client client_;  // destroyed after its locks, and before the members that its thread uses
    std::vector<place> places_;
};

}  // namespace pawl::bench
