// The pawl command: finds the subcommand, and turns exceptions into an exit status.
#include "bench.h"
#include "break_hold.h"
#include "doctor.h"
#include "exit_code.h"
#include "gate.h"
#include "hide_password.h"
#include "lead.h"
#include "local.h"
#include "ls.h"
#include "main_page.h"
#include "page.h"
#include "quorum.h"
#include "run.h"
#include "say.h"
#include "show.h"
#include "top.h"
#include "usage.h"
#include "wait_free.h"

#include <pawl/error.h>

#include <fcntl.h>
#include <unistd.h>

#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace pawl::cli;

int dispatch(const std::vector<std::string>& arguments)
{
    if (arguments.empty()) return usage_error("the command is missing", "pawl");
    const std::string& name = arguments.front();
    const std::vector<std::string> rest{arguments.begin() + 1, arguments.end()};
    if (name == "run") return run(rest);
    if (name == "once") return once(rest);
    if (name == "latch") return latch(rest);
    if (name == "barrier") return barrier(rest);
    if (name == "lead") return lead(rest);
    if (name == "bench") return bench(rest);
    if (name == "local") return local(rest);
    if (name == "quorum") return quorum(rest);
    if (name == "ls") return ls(rest);
    if (name == "show") return show(rest);
    if (name == "top") return top(rest);
    if (name == "break") return break_hold(rest);
    if (name == "wait") return wait_free(rest);
    if (name == "doctor") return doctor(rest);
    if (name == "-h" || name == "--help" || name == "help") {
        std::cout << help_text(main_page());
        return exit_code::ok;
    }
    if (name == "-V" || name == "--version") {
        std::cout << version_text() << '\n';
        return exit_code::ok;
    }
    return usage_error("unknown command " + in_quotes(name), "pawl");
}

// If the user closed one of the standard descriptors, the next descriptor that pawl opens would get
// its number, and messages for stderr would go there. The command gets the descriptor closed, as it
// was.
void fill_standard_descriptors() noexcept
{
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        // open() takes the lowest free number. That is this one, because those below are open by
        // now.
        if (::fcntl(standard, F_GETFD) < 0) ::open("/dev/null", O_RDWR | O_CLOEXEC);
    }
}

}  // namespace

int main(int argc, char** argv)
{
    fill_standard_descriptors();
    try {
        const std::vector<std::string> arguments{argv + 1, argv + argc};
        for (char** argument = argv + 1; *argument != nullptr; ++argument) hide_password(*argument);
        return dispatch(arguments);
    } catch (const pawl::error& problem) {
        say(problem.what());
        return exit_code::of(problem.code());
    } catch (const std::exception& problem) {
        say(problem.what());
        return exit_code::internal;
    }
}
