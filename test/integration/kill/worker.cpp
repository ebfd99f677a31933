#include "integration/kill/worker.h"

#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace pawl::test::kill {

void worker::idle()
{
    std::this_thread::sleep_for(std::chrono::microseconds{dice(3'000)});
}

hold worker::acquire(acquirable& lock) const
{
    std::error_code told;
    std::optional<hold> held = lock.try_acquire_for(longest_wait, stop_, told);
    if (!held) throw std::system_error{told, "no turn"};
    return std::move(*held);
}

void worker::go_inside(const hold& held, std::uint64_t part, const rule& allowed)
{
    mine_.part = part;
    mine_.until_ns = now_ns() + held.valid_for().count();
    std::string problem = allowed(held_parts(all_));
    idle();
    if (problem.empty()) problem = allowed(held_parts(all_));
    mine_.until_ns = 0;
    if (!problem.empty()) throw std::runtime_error{problem};
}

void worker::check_fence(const hold& held) const
{
    auto top = all_.top_fence.load();
    while (top < held.fence()) {
        if (all_.top_fence.compare_exchange_weak(top, held.fence())) return;
    }
    // A later holder has come. That is allowed only if this one has lost the lock meanwhile.
    if (held.valid_for() == 0ns) return;
    throw std::runtime_error{"fence " + std::to_string(held.fence()) + " after " +
                             std::to_string(top)};
}

lock_options setting::options()
{
    lock_options made;
    made.lease = lease;
    return made;
}

// A function, because the order of initialisation across files is not defined.
std::map<std::string, maker>& kinds()
{
    static std::map<std::string, maker> all;
    return all;
}

}  // namespace pawl::test::kill
