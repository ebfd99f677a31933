// A store that is one Redis server.
#pragma once

#include "base/platform.h"
#include "redis/transport.h"
#include "store/redis/server_call.h"
#include "store/store.h"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

namespace pawl::store {

class single_server final : public store, private redis::listener {
public:
    single_server(std::shared_ptr<const base::platform> platform,
                  std::unique_ptr<redis::transport> way, double clock_drift)
        : platform_{std::move(platform)},
          memory_{.clock = server_clock{clock_drift}},
          way_{std::move(way)}
    {
    }

    core::reply execute(const core::request& what, base::boot_time until,
                        const base::interrupt* stop) override;
    void submit(core::request what, std::chrono::milliseconds patience, still_wanted wanted,
                reply_handler done) override;
    std::optional<core::failure> prepare() override;
    void connect() override { way_->connect(); }
    void listen(std::string_view client, notice_listener& who) override;
    void doubt() override;
    std::optional<core::failure> ping(base::boot_time until) override;
    [[nodiscard]] const std::string& shown() const noexcept override { return way_->shown(); }

private:
    void heard(std::string_view text) override;
    void listening(bool now) override { listener_->listening(now); }

    struct submitted;
    void send(const std::shared_ptr<submitted>& one);
    void give_up_or_start(const std::shared_ptr<submitted>& one, const redis::failure& why);

    std::shared_ptr<const base::platform> platform_;
    server_memory memory_;
    notice_listener* listener_ = nullptr;
    std::unique_ptr<redis::transport> way_;  // last, so that it is destroyed first: it calls us
};

}  // namespace pawl::store
