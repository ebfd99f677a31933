// The parts that a client is built on: the platform, the threads and the store.
#pragma once

#include "base/platform.h"
#include "base/scheduler.h"
#include "observe/client_counters.h"
#include "observe/dispatcher.h"
#include "observe/log_writer.h"
#include "store/store.h"

#include <pawl/options.h>

#include <memory>
#include <string>

namespace pawl::sync {

struct surroundings {
    std::string client;  // its id: 32 hexadecimal digits
    std::shared_ptr<base::platform> platform;
    std::unique_ptr<observe::dispatcher> stops;  // runs the user's stop_callbacks
    // Runs on_event and log. It is a second dispatcher, so that a slow handler delays no stop_callback.
    std::unique_ptr<observe::dispatcher> handlers;
    // Uses `platform` and `handlers`. If there is none, the client makes it.
    std::unique_ptr<observe::log_writer> log{};
    std::unique_ptr<base::scheduler> loop;
    std::shared_ptr<store::store> store;  // uses `loop`
    bool quorum = false;                  // the store is a quorum
    observe::counters_ptr counters = std::make_shared<observe::client_counters>();
};

// Makes the parts for the server that the URL names. Throws pawl::error (bad_argument).
[[nodiscard]] surroundings surroundings_for(const client_options& options);

}  // namespace pawl::sync
