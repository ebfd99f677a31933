// The locks that pawl top shows: those that matter most, of any number.
#pragma once

#include <pawl/inspect.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pawl::cli {

class top_table {
public:
    // Keeps so many locks.
    explicit top_table(std::size_t most) : most_{most} {}

    void add(const lock_info& lock);

    // With a line above. No line is longer than `columns`.
    [[nodiscard]] std::string text(const list_summary& summary,
                                   std::optional<std::size_t> columns) const;

private:
    std::size_t most_;
    std::vector<lock_info> shown_;  // a heap: the least important one is first
    std::uint64_t held_ = 0;
    std::uint64_t waiting_ = 0;
};

}  // namespace pawl::cli
