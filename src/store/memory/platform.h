// The platform of a memory server's clients: the real one, except for the time.
#pragma once

#include "base/platform.h"
#include "store/memory/server.h"

#include <chrono>
#include <memory>
#include <utility>

namespace pawl::store::memory {

class platform final : public base::platform {
public:
    platform(std::shared_ptr<memory::server> server, std::unique_ptr<base::platform> real)
        : real_{std::move(real)}, server_{std::move(server)}, session_{server_->join()}
    {
    }

    // The client's server and its number there.
    [[nodiscard]] const std::shared_ptr<memory::server>& server() const noexcept { return server_; }
    [[nodiscard]] memory::session session() const noexcept { return session_; }

    [[nodiscard]] base::boot_time now() const noexcept override { return server_->time().now(); }
    [[nodiscard]] std::chrono::system_clock::time_point wall_time() const noexcept override
    {
        return std::chrono::system_clock::time_point{server_->time().wall()};
    }
    [[nodiscard]] double random_unit() override { return real_->random_unit(); }
    [[nodiscard]] std::string random_id() override { return real_->random_id(); }
    [[nodiscard]] std::uint64_t thread_mark() const noexcept override
    {
        return real_->thread_mark();
    }
    [[nodiscard]] bool pause(base::boot_time until, const base::interrupt* stop) override;
    void call_begins() override { server_->time().call_begins(); }
    void call_ends() noexcept override { server_->time().call_ends(); }

private:
    std::unique_ptr<base::platform> real_;
    std::shared_ptr<memory::server> server_;
    memory::session session_;
};

}  // namespace pawl::store::memory
