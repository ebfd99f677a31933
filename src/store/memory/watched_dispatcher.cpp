#include "store/memory/watched_dispatcher.h"

#include <utility>

namespace pawl::store::memory {

watched_dispatcher::watched_dispatcher(std::shared_ptr<timeline> time,
                                       std::unique_ptr<observe::dispatcher> thread)
    : time_{std::move(time)},
      handlers_{std::make_shared<handlers>(*time_)},
      thread_{std::move(thread)}
{
    time_->join(*handlers_);
}

watched_dispatcher::~watched_dispatcher()
{
    time_->leave(*handlers_);
}

void watched_dispatcher::post(task work)
{
    // It is destroyed with the task, also if the task is dropped because the dispatcher was closed.
    const auto queued = std::make_shared<handlers::queued>(handlers_);
    thread_->post([queued, work = std::move(work)] {
        const handlers::running mark{queued->where()};
        work();
    });
}

}  // namespace pawl::store::memory
