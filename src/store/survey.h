// Questions to several servers at the same time, so that one that is silent does not delay the others.
#pragma once

#include "base/platform.h"
#include "base/scheduler.h"
#include "redis/transport.h"
#include "store/question.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pawl::store {

class survey : public std::enable_shared_from_this<survey> {
public:
    struct target {
        redis::transport* way;
        server_question what;  // empty: it is not asked
    };
    // Called on the loop when a request is written: the server has this run id.
    using note_run = std::function<void(std::size_t target, const std::string& run_id)>;
    using answered = std::function<void(std::vector<server_answer>)>;

    struct surroundings {
        base::platform& platform;
        base::scheduler& loop;
        // A connection that is silent for longer may be considered dead.
        std::chrono::milliseconds patience;
        note_run noted{};  // may be empty
    };

    survey(surroundings around, answered done) : around_{std::move(around)}, done_{std::move(done)}
    {
    }

    // On the loop. A server that has not answered by `until` gets a failure. The transports must live as long as tasks
    // of the loop run.
    void start(const std::vector<target>& targets, base::boot_time until);

    // The same from any thread, which waits.
    [[nodiscard]] static std::vector<server_answer> ask(const surroundings& around,
                                                        std::vector<target> targets,
                                                        base::boot_time until);

private:
    void send(std::size_t index, const target& to);
    void finish();

    surroundings around_;
    answered done_;
    std::vector<server_answer> answers_;
    std::size_t open_ = 0;
};

}  // namespace pawl::store
