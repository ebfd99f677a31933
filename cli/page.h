// The text of a command's --help, as data. The manual page and the completions are made from it
// too.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pawl::cli {

struct paragraph {
    std::string text;
};

// Lines that are shown without wrapping.
struct example {
    std::string text;
};

struct entry {
    std::string term;
    std::string text;
};

// Terms with their meanings.
struct entries {
    std::vector<entry> rows;
};

struct section {
    std::string title;
    std::vector<std::variant<paragraph, example, entries>> blocks;
};

struct option_row {
    std::vector<std::string> names;  // with their dashes, short ones first
    std::string argument;            // the name of its value; empty: it has none
    std::string help;
};

struct page {
    std::string name;  // "pawl run"
    std::string summary;
    std::vector<std::string> usage;
    std::vector<option_row> options;
    std::vector<page> commands;
    std::vector<section> sections;
};

// For a terminal of 80 columns.
[[nodiscard]] std::string help_text(const page& page);

// The words of `text`, wrapped into lines of 80 columns. The first line begins at column `column`, the
// others at column `left`.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t left, std::size_t column);

// "-w, --wait DURATION"
[[nodiscard]] std::string synopsis(const option_row& option);

// The last word of a page's name: "run" of "pawl run".
[[nodiscard]] std::string_view last_word(std::string_view name);

}  // namespace pawl::cli
