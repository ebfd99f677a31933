// One call that waits for a condition, as a machine for both drivers: core::condition_machine with the lease of
// the waiter, its place in the waiting room, and the caller's stop token.
#pragma once

#include "base/clock.h"
#include "core/condition_wait.h"
#include "core/lease_table.h"
#include "core/object.h"
#include "sync/call.h"
#include "sync/client_state.h"
#include "sync/grant.h"
#include "sync/local_lock.h"
#include "sync/trouble.h"
#include "sync/waiting_room.h"

#include <pawl/time_limit.h>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <variant>

namespace pawl::sync {

class condition_wait final : public call {
public:
    struct question {
        std::shared_ptr<const core::object> condition;  // the lock, with the name of the condition
        time_limit limit = time_limit::never();
        std::stop_token stop{};
    };

    // `client` must outlive this.
    condition_wait(client_state& client, const grant& held, question asked, release_mode how);

    // Before it starts: the only hold of the grant leaves, grant::leave_to_server(). Trouble if the lock is lost: then
    // it must not start.
    [[nodiscard]] maybe_trouble leave(grant& held);

    // If it has left and has no result, it gives back what it may have at the server.
    ~condition_wait() override;
    condition_wait(const condition_wait&) = delete;
    condition_wait& operator=(const condition_wait&) = delete;

    [[nodiscard]] core::step start(base::boot_time now) override;
    [[nodiscard]] core::step on_reply(const core::reply& got, base::boot_time now) override;
    [[nodiscard]] core::step on_time(base::boot_time now) override;

    // The client is being destroyed. The caller's own stop request is in the question: after it the lock is
    // acquired again, so it does not end the call at once.
    [[nodiscard]] core::step on_cancel(base::boot_time now, std::string_view why) override;

    // After `finish`.
    struct woken {
        grant_ptr granted;
        bool notified;  // as in core::condition_result
    };
    using result = std::variant<woken, trouble>;
    [[nodiscard]] result& outcome() { return *result_; }

private:
    [[nodiscard]] core::condition_plan plan() const;
    void look_around();
    [[nodiscard]] core::step checked(core::step step);
    void give_old_back();
    void granted();
    void not_granted();
    void clean_up(base::boot_time wanted_until);

    client_state* client_;
    std::shared_ptr<local_lock> lock_;
    core::lease_ptr old_;
    question asked_;
    release_mode how_;
    core::lease_ptr lease_;  // of the waiter
    core::condition_machine machine_;
    std::optional<waiting_room::place> place_;
    std::optional<std::stop_callback<std::function<void()>>> watch_;
    bool has_left_ = false;
    bool gives_old_back_ = false;
    bool is_granted_ = false;  // the lease is in the table
    std::optional<result> result_;
};

}  // namespace pawl::sync
