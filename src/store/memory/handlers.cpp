#include "store/memory/handlers.h"

namespace pawl::store::memory {
namespace {

// The handlers that the calling thread is running one of, or null.
thread_local handlers* own = nullptr;

}  // namespace

handlers* handlers::of_this_thread(const timeline& in) noexcept
{
    return own != nullptr && own->of_ == &in ? own : nullptr;
}

bool handlers::are_quiet() const noexcept
{
    // If the calling thread runs a handler, the handlers after it cannot run now.
    return count_ == 0 || resting_ || this == own;
}

handlers::running::running(handlers& which) noexcept
{
    own = &which;
}

handlers::running::~running()
{
    own = nullptr;
}

handlers::resting::resting(const timeline& in) noexcept : mine_{of_this_thread(in)}
{
    if (mine_ != nullptr) mine_->resting_ = true;
}

handlers::resting::~resting()
{
    if (mine_ != nullptr) mine_->resting_ = false;
}

}  // namespace pawl::store::memory
