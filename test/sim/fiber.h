// A thread of a simulated process: a stack that runs when it is resumed, and stops where it waits.
// So blocking code runs unchanged, step by step, in an order that the simulator chooses.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace pawl::sim {

class fiber {
public:
    explicit fiber(std::function<void()> body);
    ~fiber();
    fiber(const fiber&) = delete;
    fiber& operator=(const fiber&) = delete;

    // From outside: runs it until it parks or ends.
    void resume();

    // From inside: back to the code that resumed it.
    void park();

    [[nodiscard]] bool has_ended() const noexcept { return ended_; }

    // The running fiber. Null outside of all fibers.
    [[nodiscard]] static fiber* current() noexcept;

    // Differs for each call of park(), so that a late wake-up is recognised.
    [[nodiscard]] std::uint64_t stay() const noexcept { return stay_; }

private:
    static void enter(unsigned high, unsigned low);
    void run();
    void switch_out(bool for_good);

    struct stack;
    std::unique_ptr<stack> stack_;
    std::function<void()> body_;
    ucontext_t inside_{};
    ucontext_t outside_{};
    fiber* resumed_by_ = nullptr;
    void* fake_stack_ = nullptr;  // AddressSanitizer's; unused without it
    const void* outer_bottom_ = nullptr;
    std::size_t outer_size_ = 0;
    std::uint64_t stay_ = 0;
    bool ended_ = false;
};

}  // namespace pawl::sim
