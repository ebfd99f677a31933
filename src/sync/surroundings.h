// Everything that a client stands on: the machine it runs on, its threads, and its store.
#pragma once

#include "base/platform.h"
#include "base/scheduler.h"
#include "observe/dispatcher.h"
#include "store/store.h"

#include <pawl/options.h>

#include <memory>

namespace pawl::sync {

struct surroundings {
    std::shared_ptr<base::platform> platform;
    std::unique_ptr<observe::dispatcher> stops;  // runs the user's stop_callbacks
    std::unique_ptr<observe::dispatcher>
        handlers;  // runs on_event and log; a slow one delays no stop
    std::unique_ptr<base::scheduler> loop;
    std::shared_ptr<store::store> store;  // works on `loop`
};

// What the URL asks for. Throws pawl::error (bad_argument).
[[nodiscard]] surroundings surroundings_for(const client_options& options);

}  // namespace pawl::sync
