#include "work.h"

#include <exception>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace pawl::bench {

using namespace std::chrono_literals;

void start_together(board& shared)
{
    constexpr auto longest_start = 30s;
    shared.ready.fetch_add(1);
    await(longest_start, 100us, [&] { return shared.go.load() != 0; });
}

void in_all_threads(const worker_task& task, board& shared,
                    const std::function<void(unsigned thread)>& body)
{
    std::mutex problem_mutex;
    std::exception_ptr problem;
    const auto guarded = [&](unsigned thread) noexcept {
        try {
            body(thread);
        } catch (...) {
            const std::scoped_lock guard{problem_mutex};
            if (!problem) problem = std::current_exception();
            shared.stop.store(1);
        }
    };
    std::vector<std::jthread> threads;
    for (unsigned thread = 1; thread < task.what->threads; ++thread) {
        threads.emplace_back(guarded, thread);
    }
    guarded(0);
    threads.clear();
    if (problem) std::rethrow_exception(problem);
}

std::size_t seat_of(const worker_task& task, unsigned thread)
{
    return std::size_t{task.index} * task.what->threads + thread;
}

std::string holder_name(std::size_t seat_number)
{
    return "holder" + std::to_string(seat_number);
}

}  // namespace pawl::bench
