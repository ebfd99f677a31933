// The processor time of another process, all its threads together. Nobody in it has to do anything for
// that.
#pragma once

#include <sys/types.h>
#include <time.h>

namespace pawl::bench {

class cpu_clock {
public:
    // Throws when there is no such process.
    explicit cpu_clock(pid_t whose);

    [[nodiscard]] double us() const;

private:
    clockid_t clock_{};
};

}  // namespace pawl::bench
