// The kinds of locks that are compared, and how each is created.
#pragma once

#include "lock.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::bench {

enum class contender {
    mutex,               // pawl::mutex; the threads of a process share it
    mutex_per_thread,    // the same, but each thread has its own client
    mutex_made_anew,     // a pawl::mutex that is constructed for each cycle, with one client
    mutex_unannounced,   // pawl::mutex that does not announce releases
    mutex_lingering,     // pawl::mutex that lingers after its release
    fair_mutex,          // pawl::fair_mutex
    raw_same,            // the same commands as pawl, over bare sockets: see dialogue.h
    raw_least,           // SET NX PX and check-and-delete, over bare sockets
    raw_publish,         // publish_lock
    raw_hand_off,        // hand_off_lock
    raw_retry,           // retry_lock, over a majority of servers
    std_mutex,           // without a server
    readers,             // pawl::shared_mutex, only read; the threads of a process share it
    readers_per_thread,  // the same, but each thread has its own client
    raw_readers,         // reader_lock
    std_shared_mutex,    // only read, without a server
    semaphore,           // pawl::counting_semaphore
    raw_permits,         // permit_lock
    latch,               // pawl::latch
    raw_latch,           // a message to each process, which wakes its threads: see gate.h
    condition,           // pawl::condition_variable
    raw_condition,       // queues of the lock and of the condition: see monitor.h
    peer,                // another library, in a separate program: see peer.h
};

// The word for a worker's command line, and the label in the data.
[[nodiscard]] std::string_view word_of(contender kind) noexcept;
[[nodiscard]] std::optional<contender> contender_of(std::string_view word) noexcept;

// Whether the threads of a process use one lock object.
[[nodiscard]] bool is_shared_by_threads(contender kind) noexcept;

// How many permits the semaphores have that callers wait for.
inline constexpr unsigned contended_permits = 3;

// `holder` is for those kinds that do not create their own. Not for mutex_made_anew, raw_same,
// raw_least and peer, which cannot be waited for, and not for latches and
// conditions: see gate.h and monitor.h.
[[nodiscard]] std::unique_ptr<lock> make_lock(contender kind, const std::string& url,
                                              std::string_view name, std::string_view holder);

}  // namespace pawl::bench
