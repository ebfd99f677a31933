// Uncontended locks, used one after the other by one thread.
#pragma once

#include "dialogue.h"
#include "raw_connection.h"
#include "spoken_cycle.h"

#include <pawl/client.h>
#include <pawl/counting_semaphore.h>
#include <pawl/mutex.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace pawl::bench {

inline constexpr std::size_t locks_per_thread = 1000;
inline constexpr unsigned free_capacity = 5;  // of each semaphore

// All names have the same length.
[[nodiscard]] std::string free_lock_name(std::size_t thread, std::size_t number);

class free_locks {
public:
    free_locks() = default;
    virtual ~free_locks() = default;
    free_locks(const free_locks&) = delete;
    free_locks& operator=(const free_locks&) = delete;

    // Locks and unlocks the next lock.
    virtual void cycle() = 0;
};

class pawl_free_locks final : public free_locks {
public:
    pawl_free_locks(client& client, std::size_t thread);

    void cycle() override;

private:
    std::vector<std::unique_ptr<mutex>> locks_;
    std::size_t next_ = 0;
};

// Constructs the mutex for each cycle, so it remembers nothing.
class anew_free_locks final : public free_locks {
public:
    anew_free_locks(client& client, std::size_t thread) : client_{&client}, thread_{thread} {}

    void cycle() override;

private:
    client* client_;
    std::size_t thread_;
    std::size_t next_ = 0;
};

// Takes one permit of a semaphore and gives it back.
class free_permits final : public free_locks {
public:
    free_permits(client& client, std::size_t thread);

    void cycle() override;

private:
    std::vector<std::unique_ptr<counting_semaphore>> semaphores_;
    std::size_t next_ = 0;
};

// On a separate connection.
class spoken_free_locks final : public free_locks {
public:
    // The dialogue must outlive it.
    spoken_free_locks(const std::string& url, const dialogue& what, std::size_t thread);

    void cycle() override;

private:
    raw_connection connection_;
    std::vector<spoken_cycle> locks_;
    std::size_t next_ = 0;
    std::string request_;
};

}  // namespace pawl::bench
