// Renews the leases of a client and reports their changes of state: the lease_table with its mutex, its
// alarm and its renewals.
//
// Changes are posted to the dispatchers under the mutex, so that they stay in order. The user's code runs
// on the dispatchers' threads, where no mutex is held.
#pragma once

#include "base/clock.h"
#include "base/platform.h"
#include "base/scheduler.h"
#include "common/mutex.h"
#include "core/give_back.h"
#include "core/lease_table.h"
#include "observe/client_counters.h"
#include "observe/dispatcher.h"
#include "observe/log_writer.h"
#include "store/store.h"
#include "sync/surroundings.h"

#include <pawl/options.h>

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::sync {

class lease_keeper {
public:
    // `around` must outlive the keeper.
    lease_keeper(const client_options& options, const surroundings& around);

    // A lease was granted to a request sent at `sent`.
    void add(const core::lease_ptr& lease, base::boot_time sent);

    // It is about to be released: no renewal is sent from here on. False if it is over already.
    [[nodiscard]] bool end(const core::lease_ptr& lease);

    // The server extended it, or said that it is gone.
    void extended(const core::lease_ptr& lease, std::chrono::milliseconds length,
                  base::boot_time sent);
    void lose(const core::lease_ptr& lease, cause why);

    // An operator has ended the hold of this holder. Nothing happens if no lease has this holder: the message came late.
    void broken(std::string_view holder, std::string_view reason);

    // The hold was released after it had lasted for `held`, but the lease goes on, idle. This and pass_on() also count:
    // they are the only ones that are called when a lock stays in the process, and have the mutex anyway. `measured` is
    // null if the lock is not counted by itself.
    void rest(const core::lease_ptr& lease, std::chrono::nanoseconds held,
              observe::lock_counters* measured);

    // Another hold has it now, with this fence, and with a stop token of its own.
    struct local_grant {
        std::uint64_t fence{};
        base::boot_time now{};
        std::chrono::nanoseconds waited{};
        bool lingered = false;                       // nobody wanted it when it was released
        observe::lock_counters* measured = nullptr;  // as above
    };
    void pass_on(const core::lease_ptr& lease, const local_grant& next);

    // Stop is requested when the hold with this fence loses the lock. The source has no state if that
    // hold does not have the lock any more.
    [[nodiscard]] std::stop_source loss_of(const core::lease_ptr& lease, std::uint64_t fence);

    // The same for one of the readers that share the lease. `mine` is kept by that reader, empty at first,
    // and guarded by the mutex of the keeper. After reader_left(), stop is not requested any more. A callback
    // that runs already is not waited for.
    using reader_loss = std::shared_ptr<core::lease::reader_loss>;
    [[nodiscard]] std::stop_source loss_of_reader(const core::lease_ptr& lease, reader_loss& mine);
    void reader_left(const reader_loss& mine);

    // Looks at the clock: if the deadline has passed, the lease is lost when this returns.
    void notice_time(const core::lease_ptr& lease);

    // Gives it back in the background: core/give_back.h. `again`: a release was sent before.
    void give_back(const core::lease_ptr& lease, base::boot_time wanted_until,
                   core::giving how = core::giving::first_time);

    // Waits until then for the locks that are being given back. Then all leases are lost.
    void close(base::boot_time until);

    // The leases that are not lost, released or idle.
    [[nodiscard]] std::vector<core::lease_ptr> all();

    // How many are not lost or released. Idle ones count.
    [[nodiscard]] std::size_t count();

private:
    void on_alarm();
    void renew_all();
    void renew_what_is_due() PAWL_EXCLUDES(mutex_);
    void renew_by_part(const std::vector<core::lease_ptr>& due, base::boot_time now);
    void renew(const std::vector<core::lease_ptr>& due, base::boot_time now);
    struct renewal {
        core::lease_ptr lease;
        std::chrono::milliseconds length;  // that was asked for
    };
    void on_renewed(const std::vector<renewal>& sent, base::boot_time when,
                    const core::renew_request::reply& replies);
    class giving_back;
    void one_given_back() PAWL_EXCLUDES(mutex_);
    void wait_for_given_back(base::boot_time until);
    void set_alarm() PAWL_REQUIRES(mutex_);
    void tell(const core::transitions& changes) PAWL_REQUIRES(mutex_);
    void tell_handlers(const core::transition& change);
    void count(const core::transition& change) PAWL_REQUIRES(mutex_);
    void count(const renewal& sent, const core::hold_reply& got, base::boot_time now)
        PAWL_REQUIRES(mutex_);
    [[nodiscard]] observe::lock_counters* measured(const core::lease& lease) const;

    using event_handler = std::function<void(const event&)>;

    std::chrono::milliseconds command_limit_;
    double drift_;
    std::shared_ptr<const event_handler>
        on_event_;  // shared with posted tasks, which may outlive the client
    base::platform& platform_;
    base::scheduler& loop_;
    store::store& store_;
    observe::dispatcher& stops_;
    observe::dispatcher& handlers_;
    observe::log_writer& log_;
    observe::client_counters& counters_;
    std::string server_;  // for messages

    common::mutex mutex_;
    core::lease_table table_ PAWL_GUARDED_BY(mutex_);
    base::boot_time alarm_at_ PAWL_GUARDED_BY(mutex_);
    std::size_t being_given_back_ PAWL_GUARDED_BY(mutex_) = 0;
    bool connecting_ PAWL_GUARDED_BY(mutex_) = false;  // for the renewals
    bool closed_ PAWL_GUARDED_BY(mutex_) = false;
    std::stop_source all_given_back_
        PAWL_GUARDED_BY(mutex_);  // wakes close(), in a way that every platform can
};

}  // namespace pawl::sync
