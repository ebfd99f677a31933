// Asks all sentinels which server is the primary, and listens to them. On the client's event loop.
//
//   a sentinel is asked                                     every
//   while the primary is searched                           100 ms, later up to 1 s
//   when it says that a failover has ended                  at once
//   otherwise, if it sends messages                         5 s, in case the connection is dead
//   otherwise, if it sends none                             1 s
#pragma once

#include "base/clock.h"
#include "base/event_loop.h"
#include "redis/deployment.h"
#include "redis/transport.h"
#include "store/sentinel/primary_choice.h"
#include "store/sentinel/sentinel_line.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace pawl::store {

class sentinel_watch {
public:
    // `news` is called on the loop, in a task of its own, after each answer, and while the primary is searched
    // also each time when sentinels are asked. Throws pawl::error (bad_argument).
    sentinel_watch(base::event_loop& loop, const redis::deployment& where,
                   redis::transport::limits within, std::function<void()> news);

    // On the loop only, as all that follows. Connects, and begins a search.
    void start();

    // The primary is gone (true), or it answers (false).
    void search(bool now);

    [[nodiscard]] const primary_choice& choice() const noexcept { return choice_; }

private:
    void ask(std::size_t which);
    void on_answer(std::size_t which, const sentinel_answer& what);
    void on_timer();
    void plan(base::boot_time earliest);
    void tell();
    [[nodiscard]] std::chrono::milliseconds pause(base::boot_time now) const;
    [[nodiscard]] base::boot_time due(const sentinel_line& line, base::boot_time now) const;

    base::event_loop* loop_;
    std::function<void()> news_;
    primary_choice choice_;
    std::optional<base::boot_time> searching_since_;
    std::optional<base::event_loop::timer> timer_;
    bool news_posted_ = false;
    std::vector<std::unique_ptr<sentinel_line>> lines_;
};

}  // namespace pawl::store
