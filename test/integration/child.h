// A part of a test that runs in a separate process: this test program, started again.
//
// A fork of a program with threads would inherit locked mutexes. A new program inherits nothing.
#pragma once

#include "support/process.h"

#include <functional>
#include <string>
#include <vector>

namespace pawl::test {

using child_arguments = std::vector<std::string>;

// Registers `body` under `name`. Define it at namespace scope of a test file.
class child_role {
public:
    child_role(std::string name, std::function<int(const child_arguments&)> body);

    [[nodiscard]] process start(const child_arguments& arguments) const;

private:
    std::string name_;
};

// Sends a line to the test, at once.
void say(const std::string& line);

// Waits for a line from the test. False if the test has closed the pipe.
bool hear();

// For main(): runs the role that the command line names, if it names one.
[[nodiscard]] bool is_child(int argc, char** argv);
[[nodiscard]] int run_child(int argc, char** argv);

}  // namespace pawl::test
