#include "redis/local_starter.h"

#include "base/signal_free_thread.h"
#include "common/mutex.h"
#include "redis/local_server.h"

#include <system_error>
#include <utility>
#include <vector>

namespace pawl::redis {

struct local_starter::state {
    common::mutex mutex;
    base::event_loop* loop PAWL_GUARDED_BY(mutex){};  // null after the starter is destroyed
    std::vector<handler> waiting;                     // only touched on the loop

    void finish(const std::optional<failure>& problem)
    {
        for (const auto& each : std::exchange(waiting, {})) each(problem);
    }
};

local_starter::local_starter(base::event_loop& loop, std::chrono::milliseconds limit)
    : state_{std::make_shared<state>()}, limit_{limit}
{
    state_->loop = &loop;
}

local_starter::~local_starter()
{
    const common::scoped_lock guard{state_->mutex};
    state_->loop = nullptr;
}

void local_starter::start(handler done)
{
    state_->waiting.push_back(std::move(done));
    if (state_->waiting.size() > 1) return;
    const auto tell = [state = state_](std::optional<failure> problem) {
        const common::scoped_lock guard{state->mutex};
        if (state->loop == nullptr) return;
        state->loop->post([state, problem = std::move(problem)] { state->finish(problem); });
    };
    try {
        base::signal_free_thread([tell, limit = limit_] {
            tell(try_to_start_local_server(limit));
        }).detach();
    } catch (const std::system_error& e) {
        tell(failure{failure_kind::unreachable,
                     std::string{"no thread to start the local server: "} + e.what()});
    }
}

}  // namespace pawl::redis
