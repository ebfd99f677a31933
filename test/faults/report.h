// The result of a campaign, as a table for people, as JSON, and as Markdown for docs/faults.md.
#pragma once

#include "faults/cell.h"

#include <ostream>
#include <string>
#include <vector>

namespace pawl::faults {

// One line for a cell, as soon as it has run, and the heading above the first.
void print_heading(std::ostream& out);
void print(std::ostream& out, const cell_result& cell);

void write_json(const std::string& path, const std::vector<cell_result>& cells);
void write_markdown(std::ostream& out, const std::vector<cell_result>& cells);

}  // namespace pawl::faults
