#include "sim/fiber.h"

#include <array>
#include <utility>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define PAWL_SIM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PAWL_SIM_ASAN 1
#endif
#endif

#ifdef PAWL_SIM_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace pawl::sim {
namespace {

fiber* running = nullptr;

// AddressSanitizer must know which stack is in use.
void before_switch([[maybe_unused]] void** keep, [[maybe_unused]] const void* bottom,
                   [[maybe_unused]] std::size_t size)
{
#ifdef PAWL_SIM_ASAN
    __sanitizer_start_switch_fiber(keep, bottom, size);
#endif
}

void after_switch([[maybe_unused]] void* kept, [[maybe_unused]] const void** bottom,
                  [[maybe_unused]] std::size_t* size)
{
#ifdef PAWL_SIM_ASAN
    __sanitizer_finish_switch_fiber(kept, bottom, size);
#endif
}

}  // namespace

struct fiber::stack {
    std::array<char, std::size_t{256} * 1024> bytes;
};

namespace {

// Stacks are reused, because a run has thousands of short fibers.
template <class Stack>
std::vector<std::unique_ptr<Stack>>& spare_stacks()
{
    static std::vector<std::unique_ptr<Stack>> spare;
    return spare;
}

template <class Stack>
std::unique_ptr<Stack> take_stack()
{
    auto& spare = spare_stacks<Stack>();
    if (spare.empty()) return std::unique_ptr<Stack>{new Stack};  // not cleared
    auto taken = std::move(spare.back());
    spare.pop_back();
    return taken;
}

}  // namespace

fiber::fiber(std::function<void()> body) : stack_{take_stack<stack>()}, body_{std::move(body)}
{
    ::getcontext(&inside_);
    inside_.uc_stack.ss_sp = stack_->bytes.data();
    inside_.uc_stack.ss_size = stack_->bytes.size();
    inside_.uc_link = nullptr;
    // makecontext() passes ints only.
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    ::makecontext(&inside_, reinterpret_cast<void (*)()>(&fiber::enter), 2,
                  static_cast<unsigned>(self >> 32U), static_cast<unsigned>(self));
}

fiber::~fiber()
{
    spare_stacks<stack>().push_back(std::move(stack_));
}

fiber* fiber::current() noexcept
{
    return running;
}

void fiber::resume()
{
    resumed_by_ = std::exchange(running, this);
    void* keep = nullptr;
    before_switch(&keep, stack_->bytes.data(), stack_->bytes.size());
    ::swapcontext(&outside_, &inside_);
    after_switch(keep, nullptr, nullptr);
    running = resumed_by_;
}

void fiber::park()
{
    switch_out(false);
    after_switch(fake_stack_, &outer_bottom_, &outer_size_);
    ++stay_;
}

void fiber::switch_out(bool for_good)
{
    before_switch(for_good ? nullptr : &fake_stack_, outer_bottom_, outer_size_);
    ::swapcontext(&inside_, &outside_);
}

void fiber::enter(unsigned high, unsigned low)
{
    const auto self = (static_cast<std::uintptr_t>(high) << 32U) | low;
    reinterpret_cast<fiber*>(self)->run();
}

void fiber::run()
{
    after_switch(nullptr, &outer_bottom_, &outer_size_);
    body_();
    body_ = nullptr;
    ended_ = true;
    switch_out(true);
}

}  // namespace pawl::sim
