// Small questions to servers that several fixtures ask.
#pragma once

#include "support/eventually.h"
#include "support/redis_probe.h"

#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>

namespace pawl::test {

// The probe, after AUTH if there is a password.
[[nodiscard]] redis_probe authenticated(redis_probe probe, std::string_view password);

// One field of INFO, or of another command that answers with lines NAME:VALUE. Empty if it is not
// there.
[[nodiscard]] std::string info_of(redis_probe probe, std::string_view section,
                                  std::string_view field);
[[nodiscard]] std::string line_of(std::string_view text, std::string_view field);

// Whether it becomes true. A question that a server does not answer, because it is closing its
// connections in that moment, is asked again.
template <class Predicate>
[[nodiscard]] bool eventually_answers(std::chrono::milliseconds limit, Predicate&& holds)
{
    return eventually(limit, [&] {
        try {
            return holds();
        } catch (const std::runtime_error&) {
            return false;
        }
    });
}

template <class Predicate>
[[nodiscard]] bool eventually_answers(Predicate&& holds)
{
    return eventually_answers(patience, holds);
}

}  // namespace pawl::test
