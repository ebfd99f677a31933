// Records the events of a client's holds, and the lines of its log.
#pragma once

#include <pawl/event.h>
#include <pawl/log.h>
#include <pawl/options.h>

#include "support/eventually.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::test {

// Must outlive the clients that it listens to.
class event_log {
public:
    // Sets on_event and log of the options.
    void attach(client_options& options);

    [[nodiscard]] std::vector<event> all() const;

    // The events of one hold, in order.
    [[nodiscard]] std::vector<event> of(std::string_view holder) const;

    // The number of changes to `to`.
    [[nodiscard]] std::size_t count(hold_state to) const;

    // The first change to `to`. Waits for it, and throws if it does not come in time.
    event first(hold_state to, std::chrono::milliseconds limit = patience) const;

    // The same for one hold.
    event first(hold_state to, std::string_view holder,
                std::chrono::milliseconds limit = patience) const;

    // Whether this many changes to `to` came within the limit.
    [[nodiscard]] bool wait_for(hold_state to, std::size_t count,
                                std::chrono::milliseconds limit = patience) const;

    // All lines of the log.
    [[nodiscard]] std::string text() const;

    // The first record with this name. Waits for it, and throws if it does not come in time.
    log_record record(std::string_view name, std::chrono::milliseconds limit = patience) const;

private:
    event first_where(const std::function<bool(const event&)>& wanted,
                      std::chrono::milliseconds limit) const;

    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::vector<event> events_;
    std::vector<log_record> records_;
    std::string text_;
};

}  // namespace pawl::test
