// The smallest ACL rules that pawl needs, for locks whose names start with "stock:". They are read from the documents,
// so that the tests use the rules that operators read. Each function throws if the rule is not there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pawl::test {

// The rule of docs/wire.md, which has a comment in each line. Without the user name, "on" and the password. Lines whose
// comment contains `unwanted` are left out.
[[nodiscard]] std::vector<std::string> smallest_rule(const std::string& unwanted = "(nothing)");

// The same for a Cluster: the rule of docs/topologies/cluster.md.
[[nodiscard]] std::vector<std::string> smallest_cluster_rule(
    const std::string& unwanted = "(nothing)");

// The rule in this document for a Cluster of servers before 7.0, which has one line.
[[nodiscard]] std::vector<std::string> old_cluster_rule();

// The same for a node of a quorum: the rule of docs/topologies/quorum.md.
[[nodiscard]] std::vector<std::string> smallest_quorum_rule(
    const std::string& unwanted = "(nothing)");

// The rule for operators: docs/operating.md.
[[nodiscard]] std::vector<std::string> operators_rule(const std::string& unwanted = "(nothing)");

// The rule for sentinels: the one line of docs/topologies/sentinel.md.
[[nodiscard]] std::vector<std::string> sentinel_rule();

// What a user needs besides, so that the doctor can check everything: the line in docs/doctor.md.
[[nodiscard]] std::vector<std::string> rights_of_doctor();

// The first line of this document below docs/ that is a whole rule, to paste into redis-cli.
[[nodiscard]] std::string line_to_paste(const std::string& document);

// The words of such a line after the password.
[[nodiscard]] std::vector<std::string> rule_in_line(std::string_view line);

}  // namespace pawl::test
