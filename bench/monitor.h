// A mutex with a condition, of any kind, for the workload in which two processes notify each other.
#pragma once

#include "contender.h"

#include <memory>
#include <string>
#include <string_view>

namespace pawl::bench {

class monitor {
public:
    monitor() = default;
    virtual ~monitor() = default;
    monitor(const monitor&) = delete;
    monitor& operator=(const monitor&) = delete;

    virtual void lock() = 0;
    virtual void unlock() = 0;

    // Both with the lock held. wait() throws if nothing happens for seconds.
    virtual void wait() = 0;
    virtual void notify() = 0;
};

// For contender::condition and contender::raw_condition. `holder` is for those kinds that do not
// create their own.
[[nodiscard]] std::unique_ptr<monitor> make_monitor(contender kind, const std::string& url,
                                                    std::string_view name, std::string_view holder);

}  // namespace pawl::bench
