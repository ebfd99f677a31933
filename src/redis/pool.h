// Connections for blocking calls, kept for the next caller. There are at most `size` at a time;
// whoever comes when all are in use waits for one.
#pragma once

#include "base/clock.h"
#include "base/interrupt.h"
#include "common/mutex.h"
#include "redis/connection.h"
#include "redis/failure.h"
#include "redis/server.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace pawl::redis {

class pool {
public:
    pool(const server& server, std::size_t size, std::chrono::milliseconds connect_limit)
        : server_{&server}, size_{size}, connect_limit_{connect_limit}
    {
    }

    // A connection in one caller's hands. It goes back to the pool if it is still good.
    class loan {
    public:
        loan(pool& from, std::unique_ptr<connection> what) : from_{&from}, what_{std::move(what)} {}
        loan(const loan&) = delete;
        loan& operator=(const loan&) = delete;
        loan(loan&&) noexcept = default;
        loan& operator=(loan&&) = delete;
        ~loan()
        {
            if (what_) from_->give_back(std::move(what_));
        }

        connection* operator->() const noexcept { return what_.get(); }

    private:
        pool* from_;
        std::unique_ptr<connection> what_;
    };

    // An idle connection, or a new one. `may_start` the local: server, if that is what it is.
    [[nodiscard]] std::variant<loan, failure> take(base::boot_time until,
                                                   const base::interrupt* stop, bool may_start);

    // Closes the connections that nobody uses.
    void drop_idle();

private:
    [[nodiscard]] std::optional<failure> wait_for_turn(common::unique_lock& held,
                                                       base::boot_time until,
                                                       const base::interrupt* stop)
        PAWL_REQUIRES(mutex_);
    [[nodiscard]] std::unique_ptr<connection> take_idle() PAWL_REQUIRES(mutex_);
    [[nodiscard]] std::variant<std::unique_ptr<connection>, failure> open(
        base::boot_time until, const base::interrupt* stop, bool may_start) const;
    void give_back(std::unique_ptr<connection> what);

    const server* server_;
    std::size_t size_;
    std::chrono::milliseconds connect_limit_;

    common::mutex mutex_;
    std::condition_variable_any turn_over_;
    // The one used last is last.
    std::vector<std::unique_ptr<connection>> idle_ PAWL_GUARDED_BY(mutex_);
    std::size_t in_use_ PAWL_GUARDED_BY(mutex_) = 0;
    std::size_t waiting_ PAWL_GUARDED_BY(mutex_) = 0;  // for their turn
};

}  // namespace pawl::redis
