// The arrivals of this process at one latch or barrier.
#pragma once

#include "common/mutex.h"
#include "core/object.h"
#include "sync/client_state.h"
#include "sync/lock_settings.h"
#include "sync/trouble.h"

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace pawl::sync {

// Throws pawl::error (bad_argument).
[[nodiscard]] settings_ptr settle_gate(core::object what);

class gate_arrivals {
public:
    gate_arrivals(std::shared_ptr<client_state> client, settings_ptr settings);

    struct arrival {
        unsigned count = 1;
        bool drops_out = false;
    };
    // Returns the phase in which it arrived.
    using result = std::variant<std::uint64_t, trouble>;
    [[nodiscard]] result arrive(const arrival& how);

    // Throws pawl::error for the trouble in `got`.
    std::uint64_t checked(const result& got) const;

    [[nodiscard]] const std::shared_ptr<client_state>& client() const noexcept { return client_; }
    [[nodiscard]] const core::object& what() const noexcept { return settings_->what; }

    // To wait until the phase has ended.
    [[nodiscard]] settings_ptr waiting_for(std::uint64_t phase) const;

private:
    // A participant sends one arrival after another, so the server can tell which of them it has seen.
    // Threads that arrive at the same time need several.
    struct participant {
        std::string id;
        std::uint64_t arrivals = 0;
    };
    [[nodiscard]] participant take_participant();

    std::shared_ptr<client_state> client_;
    settings_ptr settings_;
    common::mutex mutex_;
    std::vector<participant> idle_ PAWL_GUARDED_BY(mutex_);
};

}  // namespace pawl::sync
