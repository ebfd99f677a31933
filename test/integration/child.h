// A part of a test that runs in a process of its own: this test program, started anew.
//
// A fork would inherit the threads' locks of a program with threads; a new program inherits nothing.
#pragma once

#include "support/process.h"

#include <functional>
#include <string>
#include <vector>

namespace pawl::test {

using child_arguments = std::vector<std::string>;

// Makes `body` known under `name`. Defined at namespace scope of a test file.
class child_role {
public:
    child_role(std::string name, std::function<int(const child_arguments&)> body);

    [[nodiscard]] process start(const child_arguments& arguments) const;

private:
    std::string name_;
};

// Says a line to the test, at once.
void say(const std::string& line);

// Waits for a line from the test; false when the test has closed the channel.
bool hear();

// For main(): runs the role that the command line asks for, if it asks for one.
[[nodiscard]] bool is_child(int argc, char** argv);
[[nodiscard]] int run_child(int argc, char** argv);

}  // namespace pawl::test
