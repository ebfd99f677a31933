// The smallest ACL rule that pawl needs.
#pragma once

#include <string>
#include <vector>

namespace pawl::test {

// The rule of docs/wire.md, for locks whose names start with "stock:". It is read from the
// document, so that the test uses the rule that operators read. Without the user name, "on" and the
// password. Lines whose comment contains `unwanted` are left out.
[[nodiscard]] std::vector<std::string> smallest_rule(const std::string& unwanted = "(nothing)");

// The same for a Cluster: the rule of docs/topologies/cluster.md.
[[nodiscard]] std::vector<std::string> smallest_cluster_rule(
    const std::string& unwanted = "(nothing)");

// The same for a node of a quorum: the rule of docs/topologies/quorum.md.
[[nodiscard]] std::vector<std::string> smallest_quorum_rule(
    const std::string& unwanted = "(nothing)");

}  // namespace pawl::test
