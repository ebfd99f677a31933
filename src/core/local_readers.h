// A lock as the readers of one process share it: many of them use one lease at the same time, and only one
// asks the server for it.
//
//   state    meaning                                          a caller that arrives
//   absent   there is no lease that a caller may join         asks the server; waits if others are in line
//   asking   absent, and one caller asks the server           waits
//   open     the server granted a lease less than 10 ms ago   joins the lease
//
//   absent ──ask──▶ asking ──granted──▶ open ──10 ms later, or its last reader has left──▶ absent
//                     └────not granted, or the lease is not sound────────────────────────▶
//
// The end of the open state does not end the lease. A lease ends when its last reader has left. So a process
// may have several leases, of which only the newest may be open.
//
// Why a lease is open for 10 ms only: a writer may wait at the server. The server lets no new reader in then,
// but it does not see the readers that join a lease here. If they could join for ever, the lease might never
// end, and the writer would starve. Any number of readers that arrive one after another cost one round trip
// in 10 ms. docs/decisions/0014 has the alternative.
//
// A caller that asks alone opens its lease too, unless another one asks at that time.
//
// A grant that opens a lease lets in all callers in line. They have the lease from then on, although each is
// yet to be woken: the lease does not end before they have looked. If it is lost before a caller looks, that
// caller starts again.
//
// Readers whose lease is not renewed share nothing: each asks the server for a lease of its full length. Nor do
// those whose lease has a heartbeat.
//
// core::local_sharing documents the events.
#pragma once

#include "base/clock.h"
#include "core/failure.h"
#include "core/lease_table.h"
#include "core/local_line.h"
#include "core/local_sharing.h"
#include "core/patience.h"
#include "core/request.h"

#include <chrono>
#include <map>
#include <optional>

namespace pawl::core {

class local_readers final : public local_sharing {
public:
    struct rules {
        std::chrono::milliseconds lease{};
        bool shares = true;
    };

    explicit local_readers(const rules& how) : rules_{how} {}

    [[nodiscard]] turn arrive(bool may_wait, base::boot_time now) override;
    [[nodiscard]] turn look(ticket mine, base::boot_time now) override;
    void leave(ticket mine, base::boot_time now) override;
    [[nodiscard]] question begin_to_ask(bool alone, bool hears) override;
    void granted(bool alone, const lease_ptr& lease, base::boot_time now) override;
    void not_granted(bool alone, const trouble& why, const std::optional<silence>& seen,
                     base::boot_time now) override;
    [[nodiscard]] ending release(const lease_ptr& lease, base::boot_time now) override;
    [[nodiscard]] bool begin_change(const lease_ptr& lease) override;
    void look_at_lease(base::boot_time now) override { close_unless_fresh(now); }
    [[nodiscard]] std::optional<ticket> to_wake(base::boot_time now) override;

    // How long a lease is open.
    static constexpr std::chrono::milliseconds longest_open{10};

private:
    [[nodiscard]] turn ask_or_wait(bool may_wait);
    void drop_reader(const lease_ptr& lease);
    void close_unless_fresh(base::boot_time now);
    [[nodiscard]] bool is_sound(const lease& which, base::boot_time now) const;

    rules rules_;
    local_line line_;
    std::map<ticket, lease_ptr> let_in_;  // these callers have a lease, and have not looked yet
    trouble in_vain_;                     // what callers that have to give up are told
    lease_ptr open_;                      // none if no lease is open
    base::boot_time granted_at_{};        // when open_ was granted
};

}  // namespace pawl::core
