// The settings that the user chose.
#pragma once

#include "comparison.h"
#include "workload.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace pawl::bench {

struct settings {
    effort how_much;
    std::vector<const workload*> workloads;
    bool growth = false;  // W9, which differs from the others
    bool quick = false;
    bool pinned = false;
    bool peers = false;
    std::optional<std::string> over;  // tcp, unix or both; unset: the default of each workload
    std::string json_file;            // empty: none

    [[nodiscard]] std::vector<std::string> ways_for(const workload& what) const;
};

// The settings, or an exit status if there is nothing more to do.
[[nodiscard]] std::variant<settings, int> parse_command_line(int argc, const char* const* argv);

}  // namespace pawl::bench
