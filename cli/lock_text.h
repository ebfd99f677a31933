// How a lock is shown to an operator: as text for people, and as JSON.
#pragma once

#include "common/columns.h"

#include <pawl/inspect.h>

#include <string>
#include <string_view>

namespace pawl::cli {

// Bytes that could confuse a terminal become '?'.
[[nodiscard]] std::string printable(std::string_view text);

// "web-3:4711", or the holder id if the process is not known.
[[nodiscard]] std::string process_text(const std::string& id,
                                       const std::optional<process_info>& process);

// The line of a lock in a table, and the line above all of them.
[[nodiscard]] common::row row_of(const lock_info& lock);
[[nodiscard]] common::row heading();

// Everything about one lock, on several lines.
[[nodiscard]] std::string page_of(const lock_info& lock);

// On one line: docs/operating.md describes the fields.
[[nodiscard]] std::string json_of(const lock_info& lock);

}  // namespace pawl::cli
