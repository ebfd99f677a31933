// Knows which node of the Cluster has which slot, and finds out anew when that has changed.
//
// The table is loaded by a thread of its own, from any node that answers: first the known ones in random order, then
// those of the URL. There is one such thread for all callers, and it pauses between two loads, however many callers
// find the table out of date.
#pragma once

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/platform.h"
#include "common/mutex.h"
#include "redis/deployment.h"
#include "redis/failure.h"
#include "redis/transport.h"
#include "store/cluster/slot_table.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <variant>
#include <vector>

namespace pawl::store {

// How long the thread pauses after a load. The pauses grow from 100 ms to 1 s while loads follow each other and find
// nothing new, so that thousands of clients of a node that stays away do not keep the others busy.
class reload_pause {
public:
    // A load has ended now. `news`: some slot has a new owner.
    [[nodiscard]] std::chrono::milliseconds after_load(base::boot_time now, bool news) noexcept;

private:
    std::optional<base::boot_time> since_;  // the first load of those that follow each other
    base::boot_time last_{};
};

class topology {
public:
    // `loaded` is called in any thread after each load, also if that failed. Throws pawl::error (bad_argument) if a
    // certificate cannot be used.
    topology(std::shared_ptr<base::platform> platform, redis::deployment where,
             redis::transport::limits within, std::function<void()> loaded);
    ~topology();
    topology(const topology&) = delete;
    topology& operator=(const topology&) = delete;

    // All from any thread.
    [[nodiscard]] std::optional<node_address> owner(std::uint16_t slot) const;
    [[nodiscard]] std::size_t owner_number(std::uint16_t slot) const;
    [[nodiscard]] bool is_owner(const node_address& node) const;
    [[nodiscard]] std::vector<node_address> owners() const;
    void moved(const redis::redirection& to);

    // Loads the table, soon.
    void reload();

    // How many loads have ended, and the reason if the last one failed.
    [[nodiscard]] std::uint64_t loads() const;
    [[nodiscard]] std::optional<redis::failure> problem() const;

    // Loads the table and waits until a load has ended after `loads`. False if the time is over or stop is requested.
    [[nodiscard]] bool wait_for_load(std::uint64_t loads, base::boot_time until,
                                     const base::interrupt* stop);

    // Everything for a connection to a node.
    [[nodiscard]] redis::server_config config_of(const node_address& node) const;

private:
    void run(const std::stop_token& stop);
    [[nodiscard]] bool start_thread() PAWL_REQUIRES(mutex_);
    using loaded_table = std::variant<slot_table, redis::failure>;
    [[nodiscard]] loaded_table load(const base::interrupt& stop);
    [[nodiscard]] std::vector<node_address> candidates();
    [[nodiscard]] loaded_table ask(const node_address& node, std::chrono::milliseconds limit,
                                   const base::interrupt& stop) const;

    std::shared_ptr<base::platform> platform_;
    redis::deployment where_;
    redis::transport::limits limits_;
    std::function<void()> loaded_;

    mutable common::mutex mutex_;
    std::condition_variable_any changed_;
    slot_table table_ PAWL_GUARDED_BY(mutex_);
    bool wanted_ PAWL_GUARDED_BY(mutex_) = false;
    std::uint64_t loads_ PAWL_GUARDED_BY(mutex_) = 0;
    std::optional<redis::failure> problem_ PAWL_GUARDED_BY(mutex_);
    std::stop_source stop_;
    std::thread thread_ PAWL_GUARDED_BY(mutex_);
};

}  // namespace pawl::store
