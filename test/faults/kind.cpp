#include "faults/kind.h"

#include <stdexcept>
#include <vector>

namespace pawl::faults {

namespace {

// Any number: the lock is that of one id.
constexpr std::size_t stripes = 8;
constexpr int row_id = 42;

}  // namespace

std::string_view to_string(kind which)
{
    switch (which) {
    case kind::mutex: return "mutex";
    case kind::fair_mutex: return "fair_mutex";
    case kind::recursive_mutex: return "recursive_mutex";
    case kind::shared_mutex: return "shared_mutex";
    case kind::semaphore: return "semaphore";
    case kind::striped_mutex: return "striped_mutex";
    case kind::lock_set: return "lock_set";
    case kind::leader: return "leader";
    case kind::condition: return "condition";
    case kind::once_per: return "once_per";
    case kind::latch: return "latch";
    case kind::barrier: break;
    }
    return "barrier";
}

std::string name_of(kind which)
{
    return "faults:" + std::string{to_string(which)};
}

std::string name_of(kind which, std::string_view part)
{
    return "{" + name_of(which) + "}" + std::string{part};
}

made_lock make_lock(kind which, client& own, const std::string& part, const lock_options& options)
{
    const std::string name = name_of(which, part);
    switch (which) {
    case kind::mutex: return {.lock = std::make_shared<mutex>(own, name, options)};
    case kind::fair_mutex: return {.lock = std::make_shared<fair_mutex>(own, name, options)};
    case kind::recursive_mutex:
        return {.lock = std::make_shared<recursive_mutex>(own, name, options)};
    case kind::shared_mutex: {
        const auto made = std::make_shared<shared_mutex>(own, name, options);
        return {.lock = made, .other = {made, &made->shared()}};
    }
    case kind::semaphore:
        return {.lock = std::make_shared<counting_semaphore>(own, name, permits, options)};
    case kind::striped_mutex: {
        const auto rows = std::make_shared<striped_mutex>(own, name, stripes, options);
        return {.lock = {rows, &rows->of(row_id)}};
    }
    case kind::lock_set: {
        const std::vector<std::string> names{name + "a", name + "b"};
        return {.lock = std::make_shared<lock_set>(own, names, options),
                .other = std::make_shared<mutex>(own, names.front(), options)};
    }
    case kind::leader: {
        // It cannot be moved.
        leader primary{own, name, options};
        return {.lock = std::shared_ptr<leader::candidacy>{
                    new leader::candidacy{primary.candidate("10.0.0.7:80")}}};
    }
    default: break;
    }
    throw std::invalid_argument{std::string{to_string(which)} + " is not acquired like a mutex"};
}

}  // namespace pawl::faults
