// One thread of a worker, which uses one lock or gate again and again.
#pragma once

#include "faults/board.h"
#include "faults/history.h"
#include "faults/kind.h"
#include "faults/visit.h"
#include "faults/worker.h"

#include <pawl/pawl.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <stop_token>
#include <string>
#include <system_error>

namespace pawl::faults {

// What all threads of a worker have in common.
struct workplace {
    const worker_order& order;
    board& shared;
    history& record;
};

class user {
public:
    user(const workplace& at, kind which);
    virtual ~user() = default;
    user(const user&) = delete;
    user& operator=(const user&) = delete;

    // Until stop is requested, or the topology turns out not to have this kind.
    void run(const std::stop_token& stop);

protected:
    virtual void turn(const std::stop_token& stop) = 0;

    [[nodiscard]] lock_options options() const { return {.lease = at_.order.lease}; }

    // A part of the name of its lock. It is empty, unless each worker has a lock of its own.
    [[nodiscard]] std::string own_part() const;

    [[nodiscard]] std::int64_t between(std::int64_t least, std::int64_t most);
    [[nodiscard]] bool one_in(std::int64_t count) { return between(1, count) == 1; }

    // Is in, with the checks of a visit, for a random time.
    void stay_in(const hold& held, const call_begin& call, bool reading = false);

    // The call did not succeed. Counts it unless that is usual, and waits a little.
    void note(const std::error_code& ec);

    // This thread was served. A visit says so itself.
    void note_success(nanoseconds_t call_began);

    workplace at_;
    kind kind_;
    lock_board& lock_;

private:
    [[nodiscard]] bool asks() const;
    [[nodiscard]] std::uint64_t fence_of(const hold& held, bool reading) const;

    std::mt19937_64 random_;
};

// Null if the topology does not have this kind.
[[nodiscard]] std::unique_ptr<user> make_user(const workplace& at, client& own, kind which);

// Increments the register without any lock, or does not wait at a gate.
[[nodiscard]] std::unique_ptr<user> make_broken_user(const workplace& at, kind which);

// One for each group of kinds: what is acquired like a mutex, and the others.
[[nodiscard]] std::unique_ptr<user> make_lock_user(const workplace& at, client& own, kind which);
[[nodiscard]] std::unique_ptr<user> make_condition_user(const workplace& at, client& own);
[[nodiscard]] std::unique_ptr<user> make_once_user(const workplace& at, client& own);
[[nodiscard]] std::unique_ptr<user> make_latch_user(const workplace& at, client& own);
[[nodiscard]] std::unique_ptr<user> make_barrier_user(const workplace& at, client& own);
[[nodiscard]] std::unique_ptr<user> make_broken_gate_user(const workplace& at, kind which);

}  // namespace pawl::faults
