// All counters of a client. What counts shares them: a call may go on in another thread while the
// client is destroyed.
#pragma once

#include "observe/lock_counters.h"
#include "observe/traffic.h"

#include <pawl/metrics.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::observe {

class client_counters {
public:
    // The names of the locks to count one by one.
    explicit client_counters(const std::vector<std::string>& measured = {});

    // Those of the lock with this name. Null if it is not counted by itself.
    [[nodiscard]] lock_counters* of(std::string_view lock) const noexcept;

    // What happens to a lock is counted here and, unless `one` is null, there.
    template <class Count>
    void each(lock_counters* one, Count count) noexcept
    {
        count(all);
        if (one != nullptr) count(*one);
    }

    // What is only known to the client itself is 0.
    [[nodiscard]] metrics read() const;

    lock_counters all;
    request_counters requests;
    traffic connections;

private:
    std::map<std::string, std::unique_ptr<lock_counters>, std::less<>> measured_;  // never changes
};

using counters_ptr = std::shared_ptr<client_counters>;

}  // namespace pawl::observe
