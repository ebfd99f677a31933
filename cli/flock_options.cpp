#include "flock_options.h"

#include "usage.h"

#include <array>
#include <string>

namespace pawl::cli {
namespace {

struct missing_option {
    const char* names;
    const char* instead;
};

constexpr std::array missing_options{
    missing_option{"-u,--unlock",
                   "there is nothing to unlock: pawl releases the lock when its command ends"},
    missing_option{"-o,--close",
                   "there is no descriptor to close: the command does not inherit the lock, and "
                   "a process that it leaves in the background runs on without it"},
    missing_option{"-F,--no-fork",
                   "pawl has to keep running beside the command, to renew its lock and to end the "
                   "command before the lock is lost"},
};

}  // namespace

void refuse_flock_options(CLI::App& app)
{
    for (const missing_option& each : missing_options) {
        app.add_flag_callback(
               each.names,
               [each] { refuse(std::string{each.names} + " is flock's: " + each.instead); }, "")
            ->group("");
    }
}

}  // namespace pawl::cli
