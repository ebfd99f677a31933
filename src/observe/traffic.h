// What is counted of requests and of connections. Any thread may count.
#pragma once

#include "observe/counter.h"

#include <pawl/metrics.h>

namespace pawl::observe {

struct request_counters {
    counter sent;
    counter failed;
    duration_counter round_trip;

    [[nodiscard]] request_metrics read() const;
};

struct traffic {
    counter opened;
    counter ended;
    counter failed;
    counter reconnects;
    counter bytes_sent;
    counter bytes_received;

    [[nodiscard]] connection_metrics read() const;
};

}  // namespace pawl::observe
