#include "support/acl_rule.h"

#include "support/temp_dir.h"

#include <cstddef>
#include <filesystem>
#include <ios>
#include <sstream>
#include <stdexcept>

namespace pawl::test {

namespace {

std::vector<std::string> rule_in(const std::string& document, const std::string& unwanted)
{
    const std::string text = read_file(std::filesystem::path{PAWL_DOCS_DIR} / document);
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

}  // namespace

std::vector<std::string> smallest_rule(const std::string& unwanted)
{
    return rule_in("wire.md", unwanted);
}

std::vector<std::string> smallest_cluster_rule(const std::string& unwanted)
{
    return rule_in("topologies/cluster.md", unwanted);
}

std::vector<std::string> smallest_quorum_rule(const std::string& unwanted)
{
    return rule_in("topologies/quorum.md", unwanted);
}

}  // namespace pawl::test
