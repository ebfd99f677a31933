#include "sim/async_calls.h"

#include <pawl/async.h>
#include <pawl/error.h>

#include <memory>
#include <string_view>
#include <utility>

namespace pawl::sim {
namespace {

// Outlives the thread in a completion, if the process crashes.
struct ending {
    signal told;
    hold got;
    std::error_code ec = errc::cancelled;
};

class granted_or_not final : public async::acquire_completion {
public:
    explicit granted_or_not(std::shared_ptr<ending> mine) : mine_{std::move(mine)} {}

    void done(hold got, std::error_code ec, std::string_view /*message*/) noexcept override
    {
        mine_->got = std::move(got);
        mine_->ec = ec;
        mine_->told.set();
    }

private:
    std::shared_ptr<ending> mine_;
};

class done_or_not final : public async::completion {
public:
    explicit done_or_not(std::shared_ptr<ending> mine) : mine_{std::move(mine)} {}

    void done(std::error_code ec, std::string_view /*message*/) noexcept override
    {
        mine_->ec = ec;
        mine_->told.set();
    }

private:
    std::shared_ptr<ending> mine_;
};

}  // namespace

std::optional<hold> acquire_async(process& who, lockable& lock, time_limit limit,
                                  const std::stop_token& stop, std::error_code& ec)
{
    const auto mine = std::make_shared<ending>();
    async::acquire(lock, limit, std::make_unique<granted_or_not>(mine), stop);
    who.wait(mine->told, base::boot_time::max());
    ec = mine->ec;
    if (ec) return std::nullopt;
    return std::move(mine->got);
}

void release_async(process& who, hold what, std::error_code& ec)
{
    const auto mine = std::make_shared<ending>();
    async::release(std::move(what), std::make_unique<done_or_not>(mine));
    who.wait(mine->told, base::boot_time::max());
    ec = mine->ec;
}

void extend_async(process& who, hold& what, std::chrono::milliseconds lease, std::error_code& ec)
{
    const auto mine = std::make_shared<ending>();
    async::extend(what, lease, std::make_unique<done_or_not>(mine));
    who.wait(mine->told, base::boot_time::max());
    ec = mine->ec;
}

}  // namespace pawl::sim
