#include "integration/child.h"

#include <iostream>
#include <map>
#include <string_view>

namespace pawl::test {

namespace {

constexpr std::string_view marker = "--pawl-child";

using role_body = std::function<int(const child_arguments&)>;

// A function, because the order of initialisation across files is not defined.
std::map<std::string, role_body>& roles()
{
    static std::map<std::string, role_body> all;
    return all;
}

}  // namespace

child_role::child_role(std::string name, role_body body) : name_{std::move(name)}
{
    roles().emplace(name_, std::move(body));
}

process child_role::start(const child_arguments& arguments) const
{
    std::vector<std::string> command{"/proc/self/exe", std::string{marker}, name_};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return process{std::move(command)};
}

void say(const std::string& line)
{
    std::cout << line + '\n' << std::flush;  // in one piece, because threads write at the same time
}

bool hear()
{
    std::string line;
    return static_cast<bool>(std::getline(std::cin, line));
}

bool is_child(int argc, char** argv)
{
    return argc >= 3 && argv[1] == marker;
}

int run_child(int argc, char** argv)
{
    try {
        return roles().at(argv[2])(child_arguments(argv + 3, argv + argc));
    } catch (const std::exception& problem) {
        std::cerr << problem.what() << '\n';
        return 1;
    }
}

}  // namespace pawl::test
