// The processor time of all threads of another process. That process need not cooperate.
#pragma once

#include <sys/types.h>
#include <time.h>

namespace pawl::bench {

class cpu_clock {
public:
    // Throws if there is no such process.
    explicit cpu_clock(pid_t whose);

    [[nodiscard]] double us() const;

private:
    clockid_t clock_{};
};

}  // namespace pawl::bench
