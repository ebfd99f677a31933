// A store that is one Redis server.
#pragma once

#include "base/event_loop.h"
#include "redis/pipeline.h"
#include "redis/pool.h"
#include "redis/server.h"
#include "store/store.h"

#include <chrono>
#include <cstddef>
#include <memory>

namespace pawl::store {

class single_server final : public store {
public:
    // `loop` must outlive the store, and the store must be destroyed on the loop's thread or after
    // the loop has stopped. Throws pawl::error (bad_argument).
    single_server(base::event_loop& loop, redis::server_config config, std::size_t pool_size,
                  redis::pipeline::limits limits);

    core::outcome execute(const core::operation& what, base::boot_time until,
                          const base::interrupt* stop) override;
    void submit(batch what, std::chrono::milliseconds patience, batch_done done) override;
    void connect() override { pipeline_.connect(); }
    core::outcome ping(base::boot_time until) override;
    [[nodiscard]] const std::string& shown() const noexcept override { return server_.shown(); }

private:
    struct batch_under_way;
    struct part;
    void submit_part(const std::shared_ptr<batch_under_way>& whole, const part& which,
                     bool in_full);

    redis::server server_;
    redis::pool pool_;
    redis::pipeline pipeline_;
};

}  // namespace pawl::store
