// One visit of a worker to a lock: from the grant to the moment before the release. It tells the
// others that the worker is in, and checks what must be true meanwhile:
//
//   - no more holders are in than the lock allows, each until its own local deadline;
//   - the fence is greater than that of every grant that was known when the call began. For a
//     reader: not smaller;
//   - the register refuses the fence only if the hold is not valid any more.
#pragma once

#include "faults/board.h"
#include "faults/history.h"
#include "faults/kind.h"

#include <pawl/hold.h>

#include <chrono>
#include <cstdint>

namespace pawl::faults {

// What was known when a call for a lock began.
struct call_begin {
    call_begin(const board& shared, kind which);

    nanoseconds_t time;
    std::uint64_t calm;   // see board::calm
    std::uint64_t fence;  // the greatest
};

class visit {
public:
    // `call` is the one that granted `held`, with this fence.
    visit(board& shared, std::size_t worker, kind which, bool reading, const hold& held,
          std::uint64_t fence, const call_begin& call);
    ~visit();
    visit(const visit&) = delete;
    visit& operator=(const visit&) = delete;

    // Reads the register and writes it with this fence, incremented, after `work`. Readers only look.
    void use_register(history& record, std::uint64_t fence, std::chrono::microseconds work);

    // Stays in for this long, or until the hold is lost.
    void stay(std::chrono::microseconds span);

private:
    // Tells the others until when this worker is in. Whether it still is.
    bool show() const;
    void check_fence(const call_begin& call);
    void check_company() const;
    [[nodiscard]] bool is_valid() const;

    board& shared_;
    lock_board& lock_;
    std::size_t worker_;
    kind kind_;
    bool reading_;
    const hold& held_;
    std::uint64_t fence_;
    presence& own_;
    bool old_fence_ = false;  // a reader's
};

}  // namespace pawl::faults
