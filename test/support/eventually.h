// Waits until a condition becomes true. It is the only place in the tests that sleeps without a
// fixed time.
#pragma once

#include <chrono>
#include <thread>

namespace pawl::test {

// How long to wait for an event that must happen. Generous, because only a failing test reaches it.
inline constexpr std::chrono::milliseconds patience{15'000};

// Whether `holds` became true within `limit`. It is checked at least once, and once more at the
// end.
template <class Predicate>
[[nodiscard]] bool eventually(std::chrono::milliseconds limit, Predicate&& holds)
{
    const auto end = std::chrono::steady_clock::now() + limit;
    while (std::chrono::steady_clock::now() < end) {
        if (holds()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
    return holds();
}

template <class Predicate>
[[nodiscard]] bool eventually(Predicate&& holds)
{
    return eventually(patience, holds);
}

// Whether `holds` stayed true during the whole `span`.
template <class Predicate>
[[nodiscard]] bool always(std::chrono::milliseconds span, Predicate&& holds)
{
    return !eventually(span, [&] { return !holds(); });
}

// How long a call took.
template <class Call>
[[nodiscard]] std::chrono::milliseconds time_of(Call&& call)
{
    const auto start = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                                 start);
}

}  // namespace pawl::test
