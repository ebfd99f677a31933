// The waiters of a client that have a place in some lock's queue at the server. One subscription tells
// them all.
#pragma once

#include "base/clock.h"
#include "base/platform.h"
#include "base/scheduler.h"
#include "common/mutex.h"
#include "core/abandoned.h"
#include "core/lease_table.h"
#include "core/notice.h"
#include "store/store.h"
#include "sync/bell.h"
#include "sync/lease_keeper.h"
#include "sync/surroundings.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace pawl::sync {

class waiting_room final : public store::notice_listener {
public:
    // Another client wants this lock; or all locks that linger must go, because this client could not
    // hear of it.
    using giving_back = std::function<void(std::optional<std::string_view> lock)>;

    // `around` and `keeper` must outlive the room. `client` names this client to the server.
    waiting_room(const surroundings& around, lease_keeper& keeper, std::string client,
                 giving_back let_go);

    // From any thread: starts to listen, unless it has.
    void listen();

    // Whether this client would hear of a grant.
    [[nodiscard]] bool is_listening() const noexcept { return listening_; }

    [[nodiscard]] const std::string& client() const noexcept { return client_; }

    // How many waiters have a place here.
    [[nodiscard]] std::size_t count();

    // A waiter found its grant by looking, so the message was lost. Perhaps the connection is dead.
    void doubt();

    // From any thread: the waiter wants the lock no more, but until then one of its requests may arrive
    // at the server. If it is granted the lock after all, the lock is given back at once.
    void gave_up(const core::lease_ptr& lease, base::boot_time wanted_until);

    // The place of one waiter. It exists from before the first request until the waiter has the lock or
    // has given up, so that no grant is missed.
    class place {
    public:
        // The bell rings when there is a grant, or when the waiter must ask the server itself.
        place(waiting_room& room, std::string_view holder, std::weak_ptr<bell> woken_by);
        ~place();
        place(const place&) = delete;
        place& operator=(const place&) = delete;

        // A grant, if there is one.
        [[nodiscard]] std::optional<core::grant_notice> take();

    private:
        friend class waiting_room;

        waiting_room* room_;
        std::string_view holder_;
        std::weak_ptr<bell> bell_;
        // Guarded by the room's mutex: clang cannot see that all places have the same one.
        std::optional<core::grant_notice> granted_;
    };

    void granted(const core::grant_notice& what) override;
    void wanted(std::string_view lock) override { let_go_(lock); }
    void broken(std::string_view holder, std::string_view reason) override
    {
        keeper_.broken(holder, reason);
    }
    void listening(bool now) override;

private:
    [[nodiscard]] std::shared_ptr<bell> note(const core::grant_notice& what);

    base::platform& platform_;
    base::scheduler& loop_;
    store::store& store_;
    lease_keeper& keeper_;
    std::string client_;
    giving_back let_go_;
    std::atomic<bool> asked_to_listen_{false};
    std::atomic<bool> listening_{false};

    common::mutex mutex_;
    std::unordered_map<std::string_view, place*> places_ PAWL_GUARDED_BY(mutex_);  // by holder
    core::abandoned_waiters abandoned_ PAWL_GUARDED_BY(mutex_);
};

}  // namespace pawl::sync
