// Where those wait who have a place in some lock's queue at the server. One subscription tells them all.
#pragma once

#include "base/clock.h"
#include "base/platform.h"
#include "base/scheduler.h"
#include "core/lease_table.h"
#include "core/notice.h"
#include "store/store.h"
#include "sync/lease_keeper.h"
#include "sync/surroundings.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pawl::sync {

class waiting_room final : public store::notice_listener {
public:
    // What lingers here must go: who wants it, or nothing if we could not hear of anyone.
    using giving_back = std::function<void(std::optional<std::string_view> lock)>;

    // `around` and `keeper` must outlive the room. `client` is whom the server tells of grants.
    waiting_room(const surroundings& around, lease_keeper& keeper, std::string client,
                 giving_back let_go);

    // From any thread: starts to listen, unless it has.
    void listen();

    // Whether a grant would be heard of.
    [[nodiscard]] bool is_listening() const noexcept { return listening_; }

    [[nodiscard]] const std::string& client() const noexcept { return client_; }

    // A grant had to be found by looking: perhaps nothing is heard any more, though nobody said so.
    void doubt();

    // From any thread: nobody wants it any more, but until then a request of his may arrive at the server
    // that was on its way. If he is granted the lock after all, it is given back at once.
    void gave_up(const core::lease_ptr& lease, base::boot_time wanted_until);

    // Of one who may come to wait. From before his first request until he has the lock or has given
    // up, so that no grant is missed.
    class place {
    public:
        place(waiting_room& room, std::string_view holder);
        ~place();
        place(const place&) = delete;
        place& operator=(const place&) = delete;

        // Once, on the client's scheduler: `wake` is called when there is a grant, or when it is to look
        // for itself. False if there is something already: then it is not called.
        using waker = std::function<void()>;
        [[nodiscard]] bool wake_by(waker wake);

        // It does not wait any more: it looks for itself.
        void wake_no_more();

        // The calling thread waits: for a grant, for the time, until it is to look for itself, or
        // until `stop`; false only for the latter.
        [[nodiscard]] bool wait(base::boot_time until, const std::stop_token& stop);

        // A grant, if there is one.
        [[nodiscard]] std::optional<core::grant_notice> take();

    private:
        friend class waiting_room;

        waiting_room* room_;
        std::string_view holder_;

        // Guarded by the room's mutex.
        std::optional<core::grant_notice> granted_;
        bool look_ = false;
        waker wake_;  // while it waits
    };

    void granted(const core::grant_notice& what) override;
    void wanted(std::string_view lock) override { let_go_(lock); }
    void listening(bool now) override;

private:
    [[nodiscard]] place::waker note(const core::grant_notice& what);

    base::platform& platform_;
    base::scheduler& loop_;
    store::store& store_;
    lease_keeper& keeper_;
    std::string client_;
    giving_back let_go_;
    std::atomic<bool> asked_to_listen_{false};
    std::atomic<bool> listening_{false};

    std::mutex mutex_;
    std::unordered_map<std::string_view, place*> places_;  // by holder; guarded by mutex_

    struct abandoned {
        core::lease_ptr lease;
        base::boot_time wanted_until;
    };
    std::vector<abandoned> abandoned_;  // likewise; few, and not for long
};

}  // namespace pawl::sync
