#include "page.h"

#include <algorithm>
#include <sstream>

namespace pawl::cli {
namespace {

constexpr std::size_t indent = 2;

[[nodiscard]] std::string row(const entry& entry, std::size_t text_column)
{
    std::string result = std::string(indent, ' ') + entry.term;
    // A term that is too wide has its own line.
    if (result.size() + 2 > text_column) {
        return result + '\n' + wrapped(entry.text, text_column, 0);
    }
    const std::size_t column = result.size();
    return std::move(result) + wrapped(entry.text, text_column, column);
}

[[nodiscard]] std::string table(const std::vector<entry>& rows)
{
    constexpr std::size_t widest = 30;
    std::size_t text_column = 0;
    for (const entry& each : rows) {
        const std::size_t needed = indent + each.term.size() + 2;
        if (needed <= widest) text_column = std::max(text_column, needed);
    }
    if (text_column == 0) text_column = indent * 4;
    std::string result;
    for (const entry& each : rows) result += row(each, text_column);
    return result;
}

[[nodiscard]] std::string indented(std::string_view text)
{
    std::string result;
    std::istringstream lines{std::string{text}};
    for (std::string line; std::getline(lines, line);) {
        result += std::string(2 * indent, ' ') + line + '\n';
    }
    return result;
}

struct block_text {
    std::string operator()(const paragraph& block) const { return wrapped(block.text, indent, 0); }
    std::string operator()(const example& block) const { return indented(block.text); }
    std::string operator()(const entries& block) const { return table(block.rows); }
};

[[nodiscard]] std::string section_text(const section& section)
{
    std::string result = '\n' + section.title + ":\n";
    bool first = true;
    for (const auto& block : section.blocks) {
        if (!first) result += '\n';
        first = false;
        result += std::visit(block_text{}, block);
    }
    return result;
}

[[nodiscard]] std::string usage_text(const std::vector<std::string>& usage)
{
    std::string result;
    for (const std::string& line : usage) {
        result += (result.empty() ? "Usage: " : "       ") + line + '\n';
    }
    return result;
}

[[nodiscard]] std::vector<entry> rows_of(const std::vector<option_row>& options)
{
    std::vector<entry> rows;
    rows.reserve(options.size());
    for (const option_row& option : options) rows.push_back({synopsis(option), option.help});
    return rows;
}

[[nodiscard]] std::string command_text(const std::vector<page>& commands)
{
    std::vector<entry> rows;
    for (const page& command : commands) {
        rows.push_back({std::string{last_word(command.name)}, command.summary});
        for (const option_row& option : command.options) {
            // These options are the same for every command, and are shown once.
            if (option.names.back() == "--help" || option.names.back() == "--version") continue;
            if (command.sections.empty()) rows.push_back({"  " + synopsis(option), option.help});
        }
    }
    return "\nCommands:\n" + table(rows);
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t left, std::size_t column)
{
    constexpr std::size_t width = 80;
    std::string result(left > column ? left - column : 0, ' ');
    column = std::max(column, left);
    std::istringstream words{std::string{text}};
    bool first = true;
    for (std::string word; words >> word; first = false) {
        if (!first && column + 1 + word.size() > width) {
            result += '\n' + std::string(left, ' ');
            column = left;
        } else if (!first) {
            result += ' ';
            ++column;
        }
        result += word;
        column += word.size();
    }
    return result + '\n';
}

std::string help_text(const page& page)
{
    std::string result = usage_text(page.usage) + '\n' + wrapped(page.summary, 0, 0);
    if (!page.commands.empty()) result += command_text(page.commands);
    if (!page.options.empty()) result += "\nOptions:\n" + table(rows_of(page.options));
    for (const section& each : page.sections) result += section_text(each);
    return result;
}

std::string synopsis(const option_row& option)
{
    std::string result;
    for (const std::string& name : option.names) result += (result.empty() ? "" : ", ") + name;
    if (!option.argument.empty()) result += ' ' + option.argument;
    return result;
}

std::string_view last_word(std::string_view name)
{
    return name.substr(name.rfind(' ') + 1);
}

}  // namespace pawl::cli
