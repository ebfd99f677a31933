// The handlers of the user's that one thread runs, one after another: whether any is still to be
// waited for.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace pawl::store::memory {

class timeline;

class handlers {
public:
    explicit handlers(const timeline& of) : of_{&of} {}

    // Those of which the calling thread runs one, if they are of this timeline; else null.
    [[nodiscard]] static handlers* of_this_thread(const timeline& in) noexcept;

    // Whether all that were queued have run, as far as they can.
    [[nodiscard]] bool are_quiet() const noexcept;

    // While this lives, one is to be waited for.
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

    // From its making to its end the calling thread runs one.
    class running {
    public:
        explicit running(handlers& which) noexcept;
        ~running();
        running(const running&) = delete;
        running& operator=(const running&) = delete;
    };

    // From its making to its end the calling thread waits for time to pass. If it runs a handler,
    // then time must not wait for that, nor for those behind it.
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
