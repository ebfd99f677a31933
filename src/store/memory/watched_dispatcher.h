// Runs the user's handlers on a thread. advance() waits for them when a test lets time pass.
#pragma once

#include "observe/dispatcher.h"
#include "store/memory/handlers.h"
#include "store/memory/timeline.h"

#include <chrono>
#include <memory>

namespace pawl::store::memory {

class watched_dispatcher final : public observe::dispatcher {
public:
    watched_dispatcher(std::shared_ptr<timeline> time, std::unique_ptr<observe::dispatcher> thread);
    ~watched_dispatcher() override;
    watched_dispatcher(const watched_dispatcher&) = delete;
    watched_dispatcher& operator=(const watched_dispatcher&) = delete;

    void prepare() override { thread_->prepare(); }
    void post(task work) override;
    void close(std::chrono::milliseconds limit) override { thread_->close(limit); }

private:
    std::shared_ptr<timeline> time_;
    std::shared_ptr<handlers> handlers_;  // shared with tasks, which may outlive this
    std::unique_ptr<observe::dispatcher> thread_;
};

}  // namespace pawl::store::memory
