// Since when a process has been asking for a lock without hearing from the server. For the check
// that all waiters are told in time that the server is unreachable.
#pragma once

#include "base/clock.h"
#include "sim/process.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace pawl::sim {

class silence_watch {
public:
    // A request for the lock is made, whether or not there is a connection for it.
    void asked(const process& who, std::size_t lock)
    {
        asked_.try_emplace({&who, lock}, who.now());
    }

    // Something arrived from the server.
    void heard(const process& who)
    {
        std::erase_if(asked_, [&](const auto& each) { return each.first.first == &who; });
    }

    // A hold of this process ended: its waiters ask the server from now on. Or a caller that asked
    // for itself has stopped asking.
    void begins_anew(const process& who, std::size_t lock) { asked_.erase({&who, lock}); }

    // How long a caller that has waited since then has had a silent server.
    [[nodiscard]] base::boot_clock::duration lasted(const process& who, std::size_t lock,
                                                    base::boot_time waits_since) const
    {
        const auto found = asked_.find({&who, lock});
        if (found == asked_.end()) return {};
        return who.now() - std::max(waits_since, found->second);
    }

private:
    std::map<std::pair<const process*, std::size_t>, base::boot_time> asked_;
};

}  // namespace pawl::sim
