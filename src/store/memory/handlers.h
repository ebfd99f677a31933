// The user's handlers that one thread runs, one after another. It tells whether advance() must
// still wait for them.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace pawl::store::memory {

class timeline;

class handlers {
public:
    explicit handlers(const timeline& of) : of_{&of} {}

    // The handlers object whose handler the calling thread runs, if it belongs to this timeline.
    // Otherwise null.
    [[nodiscard]] static handlers* of_this_thread(const timeline& in) noexcept;

    // Whether all queued handlers have run, as far as they can.
    [[nodiscard]] bool are_quiet() const noexcept;

    // While this exists, one handler is outstanding.
    class queued {
    public:
        explicit queued(std::shared_ptr<handlers> in) : in_{std::move(in)} { ++in_->count_; }
        ~queued() { --in_->count_; }
        queued(const queued&) = delete;
        queued& operator=(const queued&) = delete;

        [[nodiscard]] handlers& where() const noexcept { return *in_; }

    private:
        std::shared_ptr<handlers> in_;
    };

    // While this exists, the calling thread runs a handler.
    class running {
    public:
        explicit running(handlers& which) noexcept;
        ~running();
        running(const running&) = delete;
        running& operator=(const running&) = delete;
    };

    // While this exists, the calling thread waits for time to pass. If it runs a handler, advance()
    // must not wait for that handler or for those after it.
    class resting {
    public:
        explicit resting(const timeline& in) noexcept;
        ~resting();
        resting(const resting&) = delete;
        resting& operator=(const resting&) = delete;

    private:
        handlers* mine_;
    };

private:
    const timeline* of_;
    std::atomic<unsigned> count_{0};
    std::atomic<bool> resting_{false};
};

}  // namespace pawl::store::memory
