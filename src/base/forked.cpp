#include "base/forked.h"

#include <pthread.h>

#include <atomic>

namespace pawl::base {
namespace {

std::atomic<unsigned> mark{0};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

// The mark changes in the child only, so a grandchild differs from both.
const int registered = ::pthread_atfork(nullptr, nullptr, [] { mark.fetch_add(1); });

}  // namespace

unsigned process_mark() noexcept
{
    static_cast<void>(registered);
    return mark.load(std::memory_order_relaxed);
}

}  // namespace pawl::base
