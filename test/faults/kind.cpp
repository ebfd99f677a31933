#include "faults/kind.h"

namespace pawl::faults {

std::string_view to_string(kind which)
{
    switch (which) {
    case kind::mutex: return "mutex";
    case kind::fair_mutex: return "fair_mutex";
    case kind::recursive_mutex: return "recursive_mutex";
    case kind::shared_mutex: return "shared_mutex";
    case kind::semaphore: break;
    }
    return "semaphore";
}

std::string name_of(kind which)
{
    return "faults:" + std::string{to_string(which)};
}

made_lock make_lock(kind which, client& own, const lock_options& options)
{
    const std::string name = name_of(which);
    switch (which) {
    case kind::mutex: return {.lock = std::make_shared<mutex>(own, name, options)};
    case kind::fair_mutex: return {.lock = std::make_shared<fair_mutex>(own, name, options)};
    case kind::recursive_mutex:
        return {.lock = std::make_shared<recursive_mutex>(own, name, options)};
    case kind::shared_mutex: {
        auto made = std::make_shared<shared_mutex>(own, name, options);
        lockable* const readers = &made->shared();
        return {.lock = std::move(made), .readers = readers};
    }
    case kind::semaphore: break;
    }
    return {.lock = std::make_shared<counting_semaphore>(own, name, permits, options)};
}

}  // namespace pawl::faults
