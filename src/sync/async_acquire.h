// Acquiring a lock on the client's scheduler, for whoever is told of the end of it.
//
//   start ──▶ in line in the process ──▶ at the server ──▶ told
//              └───── it was passed on ────────────────────▶
#pragma once

#include "base/clock.h"
#include "base/scheduler.h"
#include "core/acquire.h"
#include "sync/acquisition.h"
#include "sync/async_call.h"
#include "sync/client_state.h"
#include "sync/grant.h"
#include "sync/local_lock.h"
#include "sync/lock_settings.h"

#include <pawl/async.h>
#include <pawl/time_limit.h>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

namespace pawl::sync {

class async_acquire final : public async_call, public std::enable_shared_from_this<async_acquire> {
public:
    // `local` is null if each goes to the server for himself.
    async_acquire(std::shared_ptr<client_state> client, settings_ptr settings,
                  std::shared_ptr<local_lock> local, time_limit limit,
                  std::unique_ptr<async::acquire_completion> told, std::stop_token stop);

    void start() override;
    void cancel() override;
    void abandon() override;

private:
    using result = local_lock::result;

    // In line in the process.
    void stand(local_lock::standing now);
    void look();
    void leave_line(trouble why);
    [[nodiscard]] local_lock::waker waker();

    // At the server.
    void ask(bool beside);
    void proceed(const core::acquire_step& step);
    void send(const core::acquire_step& step);
    [[nodiscard]] bool awaits(unsigned number) const noexcept;
    void on_time();
    void conclude(taken got);

    void set_timer(base::boot_time until, void (async_acquire::*handler)());
    void clear_timer();
    void finish(result got);

    std::shared_ptr<client_state> client_;
    settings_ptr settings_;
    std::shared_ptr<local_lock> local_;
    std::unique_ptr<async::acquire_completion> told_;  // none when it was told
    std::stop_token stop_;
    std::optional<std::stop_callback<std::function<void()>>> watch_;
    time_limit limit_;
    base::boot_time until_;

    local_lock::standing standing_;
    std::unique_ptr<acquisition> wanted_;  // only while it asks the server: many just stand in line
    unsigned reserve_ = 0;
    unsigned step_ = 0;  // what belongs to an earlier one is ignored
    std::optional<base::scheduler::timer> timer_;
};

}  // namespace pawl::sync
