// One grant of a lock. A pawl::hold refers to it; several holds do if a recursive mutex was entered again.
// Readers of one process may share a lease: each of them has a grant of its own.
#pragma once

#include "base/clock.h"
#include "base/interrupt.h"
#include "core/lease.h"
#include "core/lease_table.h"
#include "core/lock_word.h"
#include "sync/client_state.h"
#include "sync/trouble.h"

#include <pawl/hold.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string_view>

namespace pawl::sync {

class local_lock;

// How the destructor of a hold, and unlock(), release the lock.
enum class release_mode : std::uint8_t {
    waits,          // until the server has answered
    sends,          // to all nodes of a quorum, without waiting for their answers
    in_background,  // for a caller that has no thread that may wait
};

class grant : public std::enable_shared_from_this<grant> {
public:
    // When its last hold leaves, the lock is released to `lock`. `since` is now.
    grant(std::shared_ptr<client_state> client, core::lease_ptr lease,
          std::shared_ptr<local_lock> lock, release_mode how, base::boot_time since)
        : client_{std::move(client)},
          lease_{std::move(lease)},
          lock_{std::move(lock)},
          how_{how},
          since_{since},
          fence_{lease_->fence}
    {
    }
    ~grant() = default;
    grant(const grant&) = delete;
    grant& operator=(const grant&) = delete;

    // One hold more: the lock is entered again. `not_owner` if the last hold has left in the meantime:
    // then the lock must be acquired anew.
    [[nodiscard]] maybe_trouble enter(const base::interrupt* stop);

    // A hold of a kind that can be changed ends once: it is released, or exchanged for another one. The caller
    // that gets true ends it. Other kinds may have several holds, and are never exchanged: always true.
    [[nodiscard]] bool may_end() noexcept { return !can_change() || !has_ended_.exchange(true); }
    [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }

    // One hold less: with the last one the lock is released.
    [[nodiscard]] maybe_trouble leave();

    // In place of leave(): the only hold leaves, and the caller gives the lock back to the server itself. Trouble
    // if the lock is lost: then there is nothing to give back.
    [[nodiscard]] maybe_trouble leave_to_server();

    // The same as leave() without waiting; `done` is called on the client's scheduler. Both may throw pawl::error
    // (bad_argument).
    using result_handler = std::function<void(const maybe_trouble&)>;
    void leave(result_handler done);
    void extend(std::chrono::milliseconds length, result_handler done);

    // For release_mode::sends. If it cannot be said at once whether the lock was released, `done` is called on the client's
    // scheduler, in any thread.
    void leave_unheard(result_handler done);

    [[nodiscard]] maybe_trouble extend(std::chrono::milliseconds length);
    [[nodiscard]] maybe_trouble ensure(std::chrono::milliseconds duration);

    // For a change (sync/change.h), in which the server exchanges this holder for a new one. begin_change()
    // says why there can be none. After it, one of the four is called.
    [[nodiscard]] maybe_trouble begin_change();
    void changed();      // the new holder is in: its hold ends, if it has not yet
    void not_changed();  // this one is still in
    void not_found(core::hold_status found);  // neither is in: the lock is lost
    void perhaps_changed();                   // nobody knows: the lock is lost

    // Asks the server. Trouble means that it gave no answer.
    [[nodiscard]] maybe_trouble confirm(bool& still_ours);

    // For a run of a once_per: it has succeeded, so no other run may begin in its period.
    void use_up_period() noexcept { lease_->used_up = true; }

    // The holder makes progress. False if the lock is lost.
    [[nodiscard]] bool beat();

    // These look at the clock first, so the answer is true when they return.
    [[nodiscard]] hold_state state() const;
    [[nodiscard]] cause why() const;
    [[nodiscard]] std::stop_token lost() const;
    [[nodiscard]] std::chrono::nanoseconds valid_for() const noexcept;

    [[nodiscard]] const core::lease& lease() const noexcept { return *lease_; }
    [[nodiscard]] const core::lease_ptr& share_lease() const noexcept { return lease_; }
    [[nodiscard]] const std::shared_ptr<local_lock>& lock() const noexcept { return lock_; }
    [[nodiscard]] std::uint64_t fence() const noexcept { return fence_; }
    [[nodiscard]] release_mode how_to_release() const noexcept { return how_; }
    [[nodiscard]] client_state& client() const noexcept { return *client_; }

    // Whether some hold has not left yet.
    [[nodiscard]] bool has_holds() const noexcept { return word_.load().is_locked(); }

private:
    [[nodiscard]] maybe_trouble lengthen(std::chrono::milliseconds length,
                                         std::chrono::milliseconds limit,
                                         std::chrono::nanoseconds& way);
    [[nodiscard]] std::chrono::milliseconds capped(std::chrono::milliseconds length) const;
    void check_length(std::string_view option, std::chrono::milliseconds length) const;
    [[nodiscard]] std::stop_source loss() const;
    [[nodiscard]] bool is_reader() const noexcept;
    [[nodiscard]] bool can_change() const noexcept
    {
        return lease_->what->kind == core::object_kind::shared ||
               lease_->what->kind == core::object_kind::leader;
    }
    [[nodiscard]] unsigned drop_one();
    void undo_entry();
    [[nodiscard]] maybe_trouble release();
    template <class Request>
    void ask(const Request& request, result_handler done);
    [[nodiscard]] maybe_trouble note(const core::hold_reply& got, base::boot_time sent,
                                     std::chrono::milliseconds length);

    std::shared_ptr<client_state> client_;
    core::lease_ptr lease_;
    std::shared_ptr<local_lock> lock_;
    release_mode how_;
    std::atomic<bool> has_ended_{false};
    base::boot_time since_;
    std::uint64_t fence_;
    std::atomic<core::lock_word> word_{core::lock_word::locked()};
    // Of a reader whose token was asked for. Then own_loss_ may be set.
    mutable std::atomic<bool> watched_{false};
    mutable lease_keeper::reader_loss own_loss_;
};

}  // namespace pawl::sync

// The name that <pawl/hold.h> has for it.
class pawl::hold::grant final : public sync::grant {
public:
    using sync::grant::grant;
};

namespace pawl::sync {

using grant_ptr = std::shared_ptr<hold::grant>;

}  // namespace pawl::sync
