// The arrivals of this process at one latch or barrier.
#pragma once

#include "common/mutex.h"
#include "core/object.h"
#include "core/request.h"
#include "sync/client_state.h"
#include "sync/lock_settings.h"
#include "sync/trouble.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace pawl::sync {

// The settings of a latch or barrier. Throws pawl::error (bad_argument).
[[nodiscard]] settings_ptr settle_gate(core::object what);

class gate_arrivals : public std::enable_shared_from_this<gate_arrivals> {
public:
    gate_arrivals(std::shared_ptr<client_state> client, settings_ptr settings);

    struct arrival {
        unsigned count = 1;
        bool drops_out = false;
    };
    // The phase in which it arrived.
    using result = std::variant<std::uint64_t, trouble>;

    // Throws pawl::error (bad_argument) if the count is out of range.
    [[nodiscard]] result arrive(const arrival& how);

    // The same without waiting. `done` is called as client_state::start() says. Throws pawl::error for what
    // is known at once.
    using result_handler = std::function<void(const result&)>;
    void arrive(const arrival& how, result_handler done);

    // Throws pawl::error for the trouble in `got`.
    std::uint64_t checked(const result& got) const;
    [[nodiscard]] std::string message(const trouble& what) const;

    [[nodiscard]] const std::shared_ptr<client_state>& client() const noexcept { return client_; }
    [[nodiscard]] const core::object& what() const noexcept { return settings_->what; }

    // The settings for waiting until a latch is open.
    [[nodiscard]] const settings_ptr& settings() const noexcept { return settings_; }

    // The settings for waiting until the phase of a barrier has ended.
    [[nodiscard]] settings_ptr waiting_for(std::uint64_t phase) const;

private:
    // A participant sends one arrival after another, so that the server can tell which of them it has seen.
    // Threads that arrive at the same time are different participants. A request points into it.
    struct participant {
        settings_ptr settings;
        std::string id;
        std::uint64_t arrivals = 0;
    };
    using participant_ptr = std::shared_ptr<participant>;

    [[nodiscard]] participant_ptr take_participant();
    void put_back(participant_ptr who);
    [[nodiscard]] static core::arrive_request next_arrival(participant& who, const arrival& how);

    std::shared_ptr<client_state> client_;
    settings_ptr settings_;
    common::mutex mutex_;
    std::vector<participant_ptr> idle_ PAWL_GUARDED_BY(mutex_);  // no call is under way for these
};

}  // namespace pawl::sync
