// The first line of a script: #!lua flags=allow-oom,no-writes
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pawl::store::memory {

struct script_header {
    bool present = false;
    bool allow_oom = false;
    bool no_writes = false;
    std::size_t size = 0;  // of the line without its end, so that line numbers stay the same
    std::string problem;   // why the script is refused; empty if it is not

    // Whether the whole script is refused when memory is full. Without this line it is not: it runs
    // until it wants to write.
    [[nodiscard]] bool is_denied_when_full() const noexcept
    {
        return present && problem.empty() && !allow_oom && !no_writes;
    }
};

[[nodiscard]] script_header read_header(std::string_view script);

}  // namespace pawl::store::memory
