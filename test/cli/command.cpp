#include "command.h"

#include <algorithm>
#include <stdexcept>

namespace pawl::test {

process pawl(const words& arguments, const words& environment)
{
    words command{"env"};
    for (const char* name : {"PAWL_URL", "PAWL_REQUIRE_REMOTE", "PAWL_KEY", "PAWL_FENCE",
                             "PAWL_HOLDER", "PAWL_OUTER_HOLDERS"}) {
        command.insert(command.end(), {"-u", name});
    }
    command.emplace_back("PAWL_CONFIG=/dev/null");
    command.insert(command.end(), environment.begin(), environment.end());
    command.emplace_back(PAWL_COMMAND);
    command.insert(command.end(), arguments.begin(), arguments.end());
    return process{command};
}

result finish(process running)
{
    // So that a command that reads its input ends.
    running.close_stdin();
    result got;
    got.end = running.wait(2 * patience);
    got.out = running.out();
    got.err = running.err();
    return got;
}

result run_pawl(const words& arguments, const words& environment)
{
    return finish(pawl(arguments, environment));
}

char state_of(pid_t pid)
{
    const std::string stat = read_file("/proc/" + std::to_string(pid) + "/stat");
    // It comes after the name, which is in parentheses and may contain any characters.
    const std::size_t name_end = stat.rfind(')');
    return name_end == std::string::npos || name_end + 2 >= stat.size() ? '-' : stat[name_end + 2];
}

bool is_alive(pid_t pid)
{
    const char state = state_of(pid);
    return state != '-' && state != 'Z' && state != 'X';
}

family family_of(const process& running)
{
    return {std::stoi(running.line_after("shell=")), std::stoi(running.line_after("sleeper="))};
}

process command_test::start(const words& arguments) const
{
    words all{"run", "--url", server_.unix_url()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return pawl(all);
}

void command_test::wait_for_renewal(std::string_view key, std::chrono::milliseconds lease)
{
    // The remaining time is first clearly below the lease, and then nearly the whole lease again.
    const bool used = eventually([&] { return probe_.ttl(key) < lease - lease / 5; });
    const bool renewed = eventually([&] { return probe_.ttl(key) > lease - lease / 10; });
    if (!used || !renewed) throw std::runtime_error{"the lock is not renewed"};
    // The server may answer this probe before it answers pawl. But it answers pawl before it reads
    // the next command of the probe.
    probe_.must({"PING"});
}

words command_test::locks()
{
    words keys = probe_.keys("*");
    std::erase_if(keys, [](const std::string& key) {
        return key.starts_with("pawl:fence:") || key.starts_with("pawl:mark:");
    });
    return keys;
}

}  // namespace pawl::test
