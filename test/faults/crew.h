// The workers of one cell: real processes, started from this program.
#pragma once

#include "faults/board.h"
#include "faults/worker.h"
#include "support/process.h"
#include "support/shared_file.h"
#include "support/temp_dir.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace pawl::faults {

class crew {
public:
    // Starts `count` workers.
    crew(std::size_t count, worker_order order);

    [[nodiscard]] std::size_t size() const noexcept { return posts_.size(); }
    [[nodiscard]] board& shared() noexcept { return *board_; }

    // The worker in this place, 0 … size() - 1.
    [[nodiscard]] worker_board& worker(std::size_t place);
    void stop(std::size_t place);     // SIGSTOP
    void go_on(std::size_t place);    // SIGCONT
    void replace(std::size_t place);  // SIGKILL, and another one in its place

    // Whether there may be another replacement.
    [[nodiscard]] bool has_spare() const noexcept { return started_ < most_workers; }

    // Whether every worker has been granted every lock, except those that are left out, at or after
    // this time.
    [[nodiscard]] bool all_granted_since(nanoseconds_t time);

    // Which worker and lock was not, for a message.
    [[nodiscard]] std::string who_waits_since(nanoseconds_t time);

    // Whether every lock was granted, not to a reader, by a call that began at or after this time.
    [[nodiscard]] bool each_lock_granted_since(nanoseconds_t time);

    struct totals {
        std::uint64_t grants;
        std::uint64_t failed_calls;
    };
    [[nodiscard]] totals count();

    // Tells all to end, and waits. Returns how many did not end well.
    std::size_t end();

    [[nodiscard]] std::vector<std::string> histories() const;

    // What the workers wrote to stderr, shortened.
    [[nodiscard]] std::string messages() const;

private:
    struct post {
        std::size_t index;
        std::unique_ptr<test::process> process;
    };

    void start(std::size_t at);

    test::temp_dir dir_;
    worker_order order_;
    test::shared_file<board> board_;
    std::size_t started_ = 0;
    std::vector<post> posts_;
};

}  // namespace pawl::faults
