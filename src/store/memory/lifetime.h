// Reads the time at which a key ends from a command.
#pragma once

#include "store/memory/command.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace pawl::store::memory {

struct time_form {
    bool seconds;   // or milliseconds
    bool absolute;  // or from now

    bool operator==(const time_form&) const = default;
};

// EX, PX, EXAT, PXAT.
[[nodiscard]] std::optional<time_form> time_form_of(std::string_view word) noexcept;

// Nothing if the value would overflow.
[[nodiscard]] std::optional<instant> end_at(std::int64_t number, time_form form,
                                            instant now) noexcept;

void refuse_time(call& what, std::string_view command_name);

}  // namespace pawl::store::memory
