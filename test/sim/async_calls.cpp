#include "sim/async_calls.h"

#include "support/async_calls.h"

#include <pawl/error.h>

#include <memory>
#include <string_view>
#include <utility>

namespace pawl::sim {
namespace {

// A completion keeps this alive if the process crashes and the thread has ended.
struct ending {
    signal told;
    hold got;
    barrier::arrival arrival;
    std::error_code ec = errc::cancelled;
};

auto into(const std::shared_ptr<ending>& mine)
{
    return test::when_done([mine](std::error_code ec, std::string_view) {
        mine->ec = ec;
        mine->told.set();
    });
}

}  // namespace

std::optional<hold> acquire_async(process& who, acquirable& lock, time_limit limit,
                                  const std::stop_token& stop, std::error_code& ec)
{
    const auto mine = std::make_shared<ending>();
    const auto then = [mine](hold got, std::error_code why, std::string_view) {
        mine->got = std::move(got);
        mine->ec = why;
        mine->told.set();
    };
    async::acquire(lock, limit, test::when_acquired(then), stop);
    who.wait(mine->told, base::boot_time::max());
    ec = mine->ec;
    if (ec) return std::nullopt;
    return std::move(mine->got);
}

void release_async(process& who, hold what, std::error_code& ec)
{
    const auto mine = std::make_shared<ending>();
    async::release(std::move(what), into(mine));
    who.wait(mine->told, base::boot_time::max());
    ec = mine->ec;
}

void wait_async(process& who, const waitable& what, time_limit limit, const std::stop_token& stop,
                std::error_code& ec)
{
    const auto mine = std::make_shared<ending>();
    async::wait(what, limit, into(mine), stop);
    who.wait(mine->told, base::boot_time::max());
    ec = mine->ec;
}

void count_down_async(process& who, latch& what, unsigned count, std::error_code& ec)
{
    const auto mine = std::make_shared<ending>();
    async::count_down(what, count, into(mine));
    who.wait(mine->told, base::boot_time::max());
    ec = mine->ec;
}

barrier::arrival arrive_async(process& who, barrier& what, unsigned count, std::error_code& ec)
{
    const auto mine = std::make_shared<ending>();
    const auto then = [mine](barrier::arrival got, std::error_code why, std::string_view) {
        mine->arrival = std::move(got);
        mine->ec = why;
        mine->told.set();
    };
    async::arrive(what, count, test::when_arrived(then));
    who.wait(mine->told, base::boot_time::max());
    ec = mine->ec;
    return std::move(mine->arrival);
}

void extend_async(process& who, hold& what, std::chrono::milliseconds lease, std::error_code& ec)
{
    const auto mine = std::make_shared<ending>();
    async::extend(what, lease, into(mine));
    who.wait(mine->told, base::boot_time::max());
    ec = mine->ec;
}

}  // namespace pawl::sim
