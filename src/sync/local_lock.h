// One lock as the threads of this process share it: a core::local_sharing with its mutex, and the bells of
// the callers that wait in line.
#pragma once

#include "base/clock.h"
#include "common/mutex.h"
#include "core/lease_table.h"
#include "core/local_lock.h"
#include "core/local_readers.h"
#include "core/local_sharing.h"
#include "sync/bell.h"
#include "sync/client_state.h"
#include "sync/lock_settings.h"
#include "sync/trouble.h"

#include <map>
#include <memory>
#include <optional>
#include <variant>

namespace pawl::sync {

class local_lock final : public core::lease_watcher,
                         public std::enable_shared_from_this<local_lock> {
public:
    local_lock(client_state& client, settings_ptr settings, std::weak_ptr<local_locks> all);
    ~local_lock() override;
    local_lock(const local_lock&) = delete;
    local_lock& operator=(const local_lock&) = delete;

    [[nodiscard]] const settings_ptr& settings() const noexcept { return settings_; }

    // What is counted of it, besides what the client counts of all its locks. Null if nothing is.
    [[nodiscard]] observe::lock_counters* measured() const noexcept { return measured_; }

    // All of these are as in core::local_sharing. From any thread. `asked` is when the caller began to wait, `held` since
    // when the grant that ends was held.
    using turn = core::local_sharing::turn;
    using ticket = core::local_sharing::ticket;
    [[nodiscard]] turn arrive(bool may_wait, base::boot_time asked);
    // Directly after it has lined up, because its turn may have come before there was a bell. From now
    // on the bell rings when the caller has to look.
    [[nodiscard]] turn first_look(ticket mine, base::boot_time asked, std::weak_ptr<bell> woken_by);
    [[nodiscard]] turn look(ticket mine, base::boot_time asked);
    void leave(ticket mine);
    [[nodiscard]] core::local_sharing::question begin_to_ask(bool alone);
    void granted(bool alone, const core::lease_ptr& lease);
    void not_granted(bool alone, const trouble& why, const std::optional<core::silence>& seen);
    [[nodiscard]] core::local_sharing::ending release(const core::lease_ptr& lease,
                                                      base::boot_time held);
    void given_back(const core::lease_ptr& lease, base::boot_time held);
    [[nodiscard]] bool begin_change(const core::lease_ptr& lease);
    void kept(const core::lease_ptr& lease, const core::keep_reply& got, base::boot_time sent);
    void wanted();

private:
    void on_lost() override;

    // While one exists, the mutex is held and an event of the machine is handled. Its destructor does
    // what follows from the event.
    class event;
    void look_at(base::boot_time when);

    // In place: a client may have a million locks.
    using machine = std::variant<core::local_lock, core::local_readers>;
    [[nodiscard]] static machine machine_for(const lock_settings& settings);
    [[nodiscard]] core::local_sharing& sharing() PAWL_REQUIRES(mutex_);
    [[nodiscard]] turn passed_on(turn what, base::boot_time asked, base::boot_time now);

    client_state* client_;
    settings_ptr settings_;
    observe::lock_counters* measured_;
    std::weak_ptr<local_locks> all_;  // it may outlive them, in a task that never runs

    common::mutex mutex_;
    machine machine_ PAWL_GUARDED_BY(mutex_);
    std::map<ticket, std::weak_ptr<bell>> waiting_ PAWL_GUARDED_BY(mutex_);
};

}  // namespace pawl::sync
