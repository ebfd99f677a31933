#include "faults/fenced_register.h"

#include <cerrno>

namespace pawl::faults {

namespace {

class guard {
public:
    explicit guard(pthread_mutex_t& mutex) noexcept : mutex_{mutex}
    {
        if (::pthread_mutex_lock(&mutex_) == EOWNERDEAD) ::pthread_mutex_consistent(&mutex_);
    }
    ~guard() { ::pthread_mutex_unlock(&mutex_); }
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;

private:
    pthread_mutex_t& mutex_;
};

}  // namespace

void fenced_register::set_up() noexcept
{
    pthread_mutexattr_t shared;
    ::pthread_mutexattr_init(&shared);
    ::pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    ::pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST);
    ::pthread_mutex_init(&mutex_, &shared);
    ::pthread_mutexattr_destroy(&shared);
}

std::optional<std::uint64_t> fenced_register::claim(std::uint64_t fence) noexcept
{
    const guard alone{mutex_};
    if (fence < fence_) return {};
    fence_ = fence;
    return value_;
}

bool fenced_register::write(std::uint64_t fence, std::uint64_t value) noexcept
{
    const guard alone{mutex_};
    if (fence < fence_) return false;
    value_ = value;
    return true;
}

std::uint64_t fenced_register::fence() noexcept
{
    const guard alone{mutex_};
    return fence_;
}

std::uint64_t fenced_register::value() noexcept
{
    const guard alone{mutex_};
    return value_;
}

}  // namespace pawl::faults
