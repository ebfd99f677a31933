#include "worker.h"

#include "board.h"
#include "work.h"

namespace pawl::bench {

std::vector<std::string> command_line(const worker_task& task)
{
    return {std::string{word_of(task.kind)}, std::string{task.what->word},
            std::to_string(task.index), std::to_string(task.board_fd), task.url};
}

void work(const worker_task& task)
{
    const shared_board shared{task.board_fd};
    switch (task.what->what) {
    case pattern::one_lock: cycle_on_one_lock(task, *shared); break;
    case pattern::take_over: take_over_and_back(task, *shared); break;
    case pattern::in_flight: cycle_in_flight(task, *shared); break;
    case pattern::free_locks: cycle_on_free_locks(task, *shared); break;
    case pattern::release_all: wait_and_be_released(task, *shared); break;
    case pattern::notify: notify_each_other(task, *shared); break;
    }
}

}  // namespace pawl::bench
