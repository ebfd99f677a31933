// Connections for blocking calls. They are kept for the next caller. There are at most `size` at a
// time. A caller that comes when all are in use waits for one.
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

    // A connection that one caller uses. It goes back to the pool if it can be used again.
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

    // An idle connection, or a new one. `may_start`: may start the server, if it is the local:
    // server.
    [[nodiscard]] std::variant<loan, failure> take(base::boot_time until,
                                                   const base::interrupt* stop, bool may_start);

    // Closes the idle connections.
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
    // The last one was used last.
    std::vector<std::unique_ptr<connection>> idle_ PAWL_GUARDED_BY(mutex_);
    std::size_t in_use_ PAWL_GUARDED_BY(mutex_) = 0;
    std::size_t waiting_ PAWL_GUARDED_BY(mutex_) = 0;  // callers that wait for a connection
};

}  // namespace pawl::redis
