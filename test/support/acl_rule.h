// The smallest ACL rule that pawl can do with.
#pragma once

#include <string>
#include <vector>

namespace pawl::test {

// The rule of docs/wire.md, for locks whose names start with "stock:": from the document itself, so
// that what operators read is what is tried here. Without the user, whether he is on, and his password.
// Lines whose comment has `unwanted` in it are left out.
[[nodiscard]] std::vector<std::string> smallest_rule(const std::string& unwanted = "(nothing)");

}  // namespace pawl::test
