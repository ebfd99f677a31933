// The resource that the locks protect: a number that refuses writers with an old fence. It lies in
// shared memory. A process that dies in the middle of a call does no harm: every call changes one
// word.
#pragma once

#include <cstdint>
#include <optional>
#include <pthread.h>

namespace pawl::faults {

class fenced_register {
public:
    // Once, before any other process uses it.
    void set_up() noexcept;

    // Stores the fence before the reading, so that no older holder writes after it. Returns the
    // value, or nothing if a greater fence is stored: the caller's lock was lost.
    [[nodiscard]] std::optional<std::uint64_t> claim(std::uint64_t fence) noexcept;

    // False if a greater fence is stored.
    [[nodiscard]] bool write(std::uint64_t fence, std::uint64_t value) noexcept;

    [[nodiscard]] std::uint64_t fence() noexcept;
    [[nodiscard]] std::uint64_t value() noexcept;

private:
    pthread_mutex_t mutex_;
    std::uint64_t fence_;
    std::uint64_t value_;
};

}  // namespace pawl::faults
