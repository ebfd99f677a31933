// The history of one worker's increments of the registers, as lines in a file, for the checker in
// porcupine/. Times are of clock_now(). Each line is written at once, so that it outlives a kill.
//
//   b ID LOCK FENCE TIME     an increment begins
//   e ID TIME VALUE          it ended; VALUE is what it read, or - if the register refused it
//
// An increment without an end may or may not have happened: its worker was killed.
#pragma once

#include "faults/kind.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

namespace pawl::faults {

class history {
public:
    explicit history(const std::string& path);
    ~history();
    history(const history&) = delete;
    history& operator=(const history&) = delete;

    [[nodiscard]] std::uint64_t begin(kind which, std::uint64_t fence);
    void end(std::uint64_t id, std::optional<std::uint64_t> value);

private:
    void write_line(const std::string& line) const;

    int fd_;
    std::atomic<std::uint64_t> last_id_{0};
};

}  // namespace pawl::faults
