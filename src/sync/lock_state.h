// The state of a pawl::acquirable: its name and options, and what its threads have locked.
#pragma once

#include "base/interrupt.h"
#include "common/mutex.h"
#include "core/object.h"
#include "sync/acquisition.h"
#include "sync/client_state.h"
#include "sync/grant.h"
#include "sync/local_lock.h"
#include "sync/lock_settings.h"
#include "sync/trouble.h"

#include <pawl/acquirable.h>
#include <pawl/async.h>
#include <pawl/hold.h>
#include <pawl/time_limit.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::sync {

class lock_state {
public:
    lock_state(std::shared_ptr<client_state> client, settings_ptr settings);

    using result = acquisition::result;
    [[nodiscard]] result acquire(time_limit limit, const std::stop_token& stop);

    // The same without waiting, as <pawl/async.h> says. Throws pawl::error.
    void acquire(time_limit limit, std::unique_ptr<async::acquire_completion> told,
                 std::stop_token stop);

    // A holder of the other side of a shared_mutex enters on this side. If it does, `from` is empty. Does not
    // wait for others: `busy` if there are some.
    [[nodiscard]] result enter_instead_of(const hold& from);

    // The same without waiting, as <pawl/async.h> says. `from` may be moved meanwhile. `action` must be a literal.
    // Throws pawl::error.
    void enter_instead_of(const hold& from, std::string_view action,
                          std::unique_ptr<async::acquire_completion> told);

    // For lock() and unlock(): the holds of the calling thread, the last one last.
    void keep(hold what);
    [[nodiscard]] hold* current() const noexcept;
    [[nodiscard]] std::unique_ptr<hold> take_current() noexcept;

    // A call has ended without the lock.
    void count(errc why) const noexcept;

    // Whether the calling thread would wait for itself. Of a shared_mutex both sides count.
    [[nodiscard]] bool would_deadlock() const;
    [[nodiscard]] trouble deadlock() const;

    // The writer's side of a shared_mutex has the readers' side here, and the other way round.
    void set_other_side(const lock_state& other) noexcept { other_side_ = &other; }

    // Throws pawl::error. The first form is for acquire().
    [[noreturn]] void raise(const trouble& what) const { raise(action(), what); }
    [[noreturn]] void raise(std::string_view action, const trouble& what) const;
    [[nodiscard]] std::string_view action() const noexcept;

    [[nodiscard]] const std::string& name() const noexcept { return settings_->what.name; }
    [[nodiscard]] client_state& client() const noexcept { return *client_; }
    [[nodiscard]] const settings_ptr& settings() const noexcept { return settings_; }

private:
    [[nodiscard]] bool is_recursive() const noexcept
    {
        return settings_->what.kind == core::object_kind::counted;
    }
    [[nodiscard]] maybe_trouble prepare();
    [[nodiscard]] result try_to_acquire(time_limit limit, const std::stop_token& stop);
    [[nodiscard]] result acquire_anew(time_limit limit, const base::interrupt& stop);
    class side_change;
    [[nodiscard]] result other_sides(const hold& from) const;
    [[nodiscard]] bool is_in() const;
    [[nodiscard]] grant_ptr own_grant();
    [[nodiscard]] std::size_t last_of_this_thread() const noexcept PAWL_REQUIRES(mutex_);
    void remember(const grant_ptr& mine);

    std::shared_ptr<client_state> client_;
    settings_ptr settings_;
    std::shared_ptr<local_lock> lock_;  // null in a child process, which cannot use it
    const lock_state* other_side_ = nullptr;

    mutable common::mutex mutex_;
    // For re-entry.
    std::vector<std::pair<std::uint64_t, std::weak_ptr<hold::grant>>> owners_
        PAWL_GUARDED_BY(mutex_);
    // By lock().
    std::vector<std::pair<std::uint64_t, std::unique_ptr<hold>>> locked_ PAWL_GUARDED_BY(mutex_);
};

}  // namespace pawl::sync

// The name that <pawl/acquirable.h> has for it.
class pawl::acquirable::state final : public sync::lock_state {
public:
    using lock_state::lock_state;
};
