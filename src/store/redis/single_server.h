// A store that is one Redis server.
#pragma once

#include "redis/transport.h"
#include "store/redis/server_clock.h"
#include "store/redis/wire.h"
#include "store/store.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>

namespace pawl::store {

class single_server final : public store, private redis::listener {
public:
    single_server(std::unique_ptr<redis::transport> way, double clock_drift)
        : clock_{clock_drift}, way_{std::move(way)}
    {
    }

    core::outcome execute(const core::operation& what, base::boot_time until,
                          const base::interrupt* stop) override;
    void submit(batch what, std::chrono::milliseconds patience, batch_done done) override;
    void submit_one(const core::operation& what, std::chrono::milliseconds patience,
                    still_wanted wanted, one_done done) override;
    std::optional<core::outcome> prepare() override;
    void connect() override { way_->connect(); }
    void listen(std::string_view client, notice_listener& who) override;
    void doubt() override;
    core::outcome ping(base::boot_time until) override;
    [[nodiscard]] const std::string& shown() const noexcept override { return way_->shown(); }

private:
    void heard(std::string_view text) override;
    void listening(bool now) override { listener_->listening(now); }

    class request;
    struct submitted;
    void send_one(const std::shared_ptr<submitted>& one);
    void give_up_or_start(const std::shared_ptr<submitted>& one, const redis::failure& why);

    struct batch_under_way;
    struct part;
    void submit_part(const std::shared_ptr<batch_under_way>& whole, const part& which,
                     script_form form);

    server_clock clock_;
    std::atomic<bool> bare_refused_{false};  // a bare acquire, for want of the right to it
    notice_listener* listener_ = nullptr;
    std::unique_ptr<redis::transport> way_;  // last: it calls us
};

}  // namespace pawl::store
