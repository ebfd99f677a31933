#include "store/memory/script_header.h"

#include <optional>
#include <vector>

namespace pawl::store::memory {
namespace {

constexpr std::string_view spaces = " \t\n\v\f\r";

// Removes one word from the front of `line`. A part of it may be quoted: flags="a b". Nothing if a
// quote is not closed, or is closed in the middle of a word.
std::optional<std::string> take_word(std::string_view& line)
{
    std::string word;
    while (!line.empty() && spaces.find(line.front()) == spaces.npos) {
        const char c = line.front();
        line.remove_prefix(1);
        if (c != '"' && c != '\'') {
            word += c;
            continue;
        }
        const auto end = line.find(c);
        if (end == line.npos) return std::nullopt;
        word += line.substr(0, end);
        line.remove_prefix(end + 1);
        if (!line.empty() && spaces.find(line.front()) == spaces.npos) return std::nullopt;
    }
    return word;
}

std::optional<std::vector<std::string>> words_of(std::string_view line)
{
    std::vector<std::string> words;
    while (true) {
        const auto start = line.find_first_not_of(spaces);
        if (start == line.npos) return words;
        line.remove_prefix(start);
        auto word = take_word(line);
        if (!word) return std::nullopt;
        words.push_back(*std::move(word));
    }
}

void read_flag(std::string_view flag, script_header& header)
{
    if (flag == "allow-oom") {
        header.allow_oom = true;
    } else if (flag == "no-writes") {
        header.no_writes = true;
    } else if (flag != "allow-stale" && flag != "no-cluster" && flag != "allow-cross-slot-keys") {
        header.problem = "ERR Unexpected flag in script shebang: " + std::string{flag};
    }
}

void read_option(std::string_view option, script_header& header)
{
    constexpr std::string_view flags = "flags=";
    if (!option.starts_with(flags)) {
        header.problem = "ERR Unknown lua shebang option: " + std::string{option};
        return;
    }
    option.remove_prefix(flags.size());
    while (!option.empty() && header.problem.empty()) {
        const auto comma = option.find(',');
        read_flag(option.substr(0, comma), header);
        if (comma == option.npos) return;
        option.remove_prefix(comma + 1);
        if (option.empty()) read_flag({}, header);
    }
}

}  // namespace

script_header read_header(std::string_view script)
{
    script_header header;
    if (!script.starts_with("#!")) return header;
    header.present = true;
    header.size = script.find('\n');
    if (header.size == script.npos) {
        header.problem = "ERR Invalid script shebang";
        return header;
    }
    const auto words = words_of(script.substr(0, header.size));
    if (!words) {
        header.problem = "ERR Invalid engine in script shebang";
        return header;
    }
    if (words->front() != "#!lua") {
        header.problem = "ERR Unexpected engine in script shebang: " + words->front();
        return header;
    }
    for (std::size_t at = 1; at < words->size() && header.problem.empty(); ++at) {
        read_option((*words)[at], header);
    }
    return header;
}

}  // namespace pawl::store::memory
