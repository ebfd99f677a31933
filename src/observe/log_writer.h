// Writes records to the user's log, on the thread for the user's handlers, and leaves out what repeats too often.
#pragma once

#include "base/platform.h"
#include "common/mutex.h"
#include "observe/dispatcher.h"
#include "observe/repeat_limit.h"

#include <pawl/log.h>

#include <functional>
#include <memory>

namespace pawl::observe {

class log_writer {
public:
    using sink = std::function<void(const log_record&)>;

    // `to` may be empty: then nothing is written. The others must outlive the writer.
    log_writer(sink to, const base::platform& platform, dispatcher& handlers);

    // Whether a record would be read. If not, it need not be made.
    [[nodiscard]] bool is_on() const noexcept { return to_ != nullptr; }

    // From any thread.
    void write(log_record what) PAWL_EXCLUDES(mutex_);

private:
    std::shared_ptr<const sink> to_;  // shared with posted tasks, which may outlive the client
    const base::platform& platform_;
    dispatcher& handlers_;

    common::mutex mutex_;
    repeat_limit limit_ PAWL_GUARDED_BY(mutex_);
};

}  // namespace pawl::observe
