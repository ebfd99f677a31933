// A lock on its way from the server to this client, as a thing of its own: a thread drives it that waits
// meanwhile (server_lock.h), or the client's scheduler does (async_acquire.h).
//
//   start() ──▶ step ──▶ on_…() ──▶ step … ──▶ finish ──▶ conclude()
#pragma once

#include "base/clock.h"
#include "core/acquire.h"
#include "core/lease_table.h"
#include "sync/lock_settings.h"
#include "sync/trouble.h"
#include "sync/waiting_room.h"

#include <pawl/time_limit.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

namespace pawl::sync {

class client_state;

struct taking {
    time_limit limit = time_limit::now();
    unsigned reserve = 0;  // how many numbers to set aside above the fence
    core::hint hint{};     // from the last grant, if the lock is likely to be free
    base::boot_clock::duration silent_before{};  // as in core::acquire_plan
    std::weak_ptr<core::lease_watcher> watcher{};
};

struct not_taken {
    trouble why;
    std::optional<core::silence> silence{};  // as in core::acquire_result
};

// The lease is in the keeper's hands; or if not, nothing is left at the server, as soon as that can be
// reached.
using taken = std::variant<core::lease_ptr, not_taken>;

class acquisition {
public:
    // `client` must outlive it.
    acquisition(client_state& client, const settings_ptr& settings, taking how);

    // If it was not concluded, what may have come of it at the server is given back.
    ~acquisition();
    acquisition(const acquisition&) = delete;
    acquisition& operator=(const acquisition&) = delete;

    // Each looks whether the lock was handed over meanwhile.
    [[nodiscard]] core::acquire_step start();
    [[nodiscard]] core::acquire_step on_reply(const core::acquire_reply& got);
    [[nodiscard]] core::acquire_step on_time();  // that of the step is over
    [[nodiscard]] core::acquire_step on_cancel();

    // Where it waits; nullptr if it never does.
    [[nodiscard]] waiting_room::place* place() noexcept { return place_ ? &*place_ : nullptr; }

    // After `finish`.
    [[nodiscard]] taken conclude();

private:
    [[nodiscard]] core::acquire_plan plan(const lock_settings& settings) const;
    void note_place();
    [[nodiscard]] core::acquire_step checked(core::acquire_step step);

    client_state* client_;
    taking how_;
    core::lease_ptr lease_;
    core::acquire_machine machine_;
    std::optional<waiting_room::place> place_;
    bool concluded_ = false;
};

}  // namespace pawl::sync
