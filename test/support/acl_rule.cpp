#include "support/acl_rule.h"

#include "support/temp_dir.h"

#include <cstddef>
#include <filesystem>
#include <ios>
#include <sstream>
#include <stdexcept>

namespace pawl::test {

namespace {

[[nodiscard]] std::string text_of(const std::string& document)
{
    return read_file(std::filesystem::path{PAWL_DOCS_DIR} / document);
}

std::vector<std::string> rule_in(const std::string& document, const std::string& unwanted)
{
    const std::string text = text_of(document);
    const std::string opening = "ACL SETUSER keeper on >password ";
    const std::size_t start = text.find(opening);
    if (start == text.npos) throw std::runtime_error{"no ACL rule in docs/" + document};
    std::istringstream lines{text.substr(start, text.find("```", start) - start)};
    lines.ignore(static_cast<std::streamsize>(opening.size()));
    std::vector<std::string> rule;
    for (std::string line; std::getline(lines, line);) {
        if (line.find(unwanted) != line.npos) continue;
        std::istringstream words{line.substr(0, line.find('#'))};
        for (std::string word; words >> word;) rule.push_back(word);
    }
    return rule;
}

// The line of this number, from 1 on, that is a whole rule. `part` is in each of these, and in no first line of a longer
// rule.
std::string whole_rule(const std::string& document, const std::string& part, int number)
{
    std::istringstream lines{text_of(document)};
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("ACL SETUSER ") || line.find(part) == line.npos) continue;
        if (--number == 0) return line;
    }
    throw std::runtime_error{"no ACL rule in one line in docs/" + document};
}

constexpr auto scripts = "+evalsha";

}  // namespace

std::vector<std::string> smallest_rule(const std::string& unwanted)
{
    return rule_in("wire.md", unwanted);
}

std::vector<std::string> smallest_cluster_rule(const std::string& unwanted)
{
    return rule_in("topologies/cluster.md", unwanted);
}

std::vector<std::string> old_cluster_rule()
{
    return rule_in_line(whole_rule("topologies/cluster.md", scripts, 2));
}

std::vector<std::string> smallest_quorum_rule(const std::string& unwanted)
{
    return rule_in("topologies/quorum.md", unwanted);
}

std::vector<std::string> operators_rule(const std::string& unwanted)
{
    return rule_in("operating.md", unwanted);
}

std::vector<std::string> sentinel_rule()
{
    return rule_in_line(whole_rule("topologies/sentinel.md", "+switch-master", 1));
}

std::vector<std::string> rights_of_doctor()
{
    auto words = rule_in_line(whole_rule("doctor.md", "+acl|dryrun", 1));
    std::erase_if(words, [](const auto& word) { return !word.starts_with('+'); });
    return words;
}

std::string line_to_paste(const std::string& document)
{
    return whole_rule(document, scripts, 1);
}

std::vector<std::string> rule_in_line(std::string_view line)
{
    std::istringstream words{std::string{line}};
    std::vector<std::string> rule;
    for (std::string word; words >> word;) {
        rule.push_back(word);
        if (word.starts_with('>')) rule.clear();  // ACL SETUSER keeper on >password
    }
    return rule;
}

}  // namespace pawl::test
