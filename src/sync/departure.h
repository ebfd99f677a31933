// The end of a grant, as a machine for both drivers: the lock is passed on in this process, or goes back
// to the server.
#pragma once

#include "base/clock.h"
#include "core/exchange.h"
#include "core/lease_table.h"
#include "core/machine.h"
#include "sync/client_state.h"
#include "sync/local_lock.h"
#include "sync/trouble.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::sync {

class departure final : public core::machine {
public:
    // What needs no server is done here: after it, the next caller may have the lock. `held` is since when this one had
    // it. `client` must outlive it.
    departure(client_state& client, std::shared_ptr<local_lock> lock, core::lease_ptr lease,
              base::boot_time held);

    [[nodiscard]] core::step start(base::boot_time now) override;
    [[nodiscard]] core::step on_reply(const core::reply& got, base::boot_time now) override;
    [[nodiscard]] core::step on_time(base::boot_time now) override;
    [[nodiscard]] core::step on_cancel(base::boot_time now, std::string_view why) override;

    // Ends it: the driver threw, because the system has no descriptors left.
    void fail(const std::string& why);

    // No server has to be asked. It need not be run then.
    [[nodiscard]] bool is_over() const noexcept { return !exchange_; }

    // After `finish`, or fail(), or if it is over from the start.
    [[nodiscard]] const maybe_trouble& outcome() const noexcept { return outcome_; }

private:
    void release();
    void ask(const core::exchange_request& what);
    [[nodiscard]] core::step checked(core::step step);
    void settle(const core::reply& got, base::boot_time sent);
    void released(const core::hold_reply& got);
    void kept(const core::keep_reply& got, base::boot_time sent);

    client_state* client_;
    std::shared_ptr<local_lock> lock_;
    core::lease_ptr lease_;
    std::optional<core::exchange_machine> exchange_;  // none if nothing is to be sent
    maybe_trouble outcome_;
};

// For a lease that no caller will have, because there was no memory for its grant. It is released in the background.
void depart_unnoticed(client_state& client, const std::shared_ptr<local_lock>& lock,
                      const core::lease_ptr& lease) noexcept;

}  // namespace pawl::sync
