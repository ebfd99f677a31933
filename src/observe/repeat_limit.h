// How often a record of one name may be written: some at once, and then one in a while. It is told the time.
#pragma once

#include "base/clock.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace pawl::observe {

class repeat_limit {
public:
    static constexpr unsigned at_once = 20;
    static constexpr std::chrono::seconds pause{1};

    // Nothing if this one must be left out. Otherwise, how many of this name were left out since the last one that was
    // not. `name` must be a literal: it is kept.
    [[nodiscard]] std::optional<std::uint64_t> admit(std::string_view name, base::boot_time now);

private:
    struct budget {
        base::boot_time full_at{};  // when all of `at_once` are there again
        std::uint64_t left_out = 0;
    };
    std::map<std::string_view, budget> names_;
};

}  // namespace pawl::observe
