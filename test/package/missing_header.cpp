// Compiled once for each of these calls, by CMakeLists.txt: its header is not included.
#include <pawl/mutex.h>

void wrong(pawl::mutex& lock, pawl::hold& held)
{
#ifdef ASYNC_ACQUIRE
    lock.async_acquire([](auto, auto) {});
#elif defined(ASYNC_TRY_ACQUIRE_FOR)
    lock.async_try_acquire_for(std::chrono::seconds{1}, [](auto, auto) {});
#elif defined(ASYNC_RELEASE)
    held.async_release([](auto) {});
#endif
}
