// Compiled once for each form, by CMakeLists.txt: its header is not included.
#include <pawl/mutex.h>

void wrong(pawl::mutex& lock, pawl::hold& held)
{
#ifdef ASYNC_ACQUIRE
    lock.async_acquire([](auto, auto) {});
#elif defined(ASYNC_ACQUIRE_FOR)
    lock.async_acquire_for(std::chrono::seconds{1}, [](auto, auto) {});
#elif defined(ASYNC_RELEASE)
    held.async_release([](auto) {});
#elif defined(ACQUIRE_ASYNC)
    lock.acquire_async();
#elif defined(RELEASE_ASYNC)
    held.release_async();
#endif
}
