#include "run_help.h"

namespace pawl::cli {
namespace {

[[nodiscard]] section arguments()
{
    return {.title = "Arguments",
            .blocks = {entries{{
                {"KEY",
                 "the name of the lock: 1 to 512 bytes. One that begins with a dash "
                 "stands between two --"},
                {"COMMAND",
                 "what to run, with its arguments. It begins at the first word after "
                 "KEY that is no option, or after --"},
                {"DURATION",
                 "500ms, 30s, 5m, 2h; a plain number is seconds; fractions are "
                 "allowed"},
            }}}};
}

[[nodiscard]] section command()
{
    return {.title = "The command",
            .blocks = {
                paragraph{
                    "It finds PAWL_KEY, PAWL_FENCE and PAWL_HOLDER in its environment. PAWL_FENCE "
                    "grows with every grant of the lock: hand it to what the lock protects, and "
                    "refuse smaller numbers there."},
                paragraph{
                    "A pawl run inside it that would wait for a lock that it runs under fails at "
                    "once, with 64. It sees these locks by PAWL_HOLDER and PAWL_OUTER_HOLDERS, the "
                    "holders further out: env -i or sudo in between hides them."},
                paragraph{
                    "It runs in a process group of its own, which gets the signals that pawl "
                    "gets. When the lock is about to be lost the group gets SIGTERM and, after "
                    "the grace period, SIGKILL; when pawl itself is killed the group is killed at "
                    "once. A command suspended with Ctrl-Z does not renew its lock, and is killed "
                    "when the lease ends."},
                paragraph{"What the command leaves running in the background when it ends runs on "
                          "without the lock. Let it wait for its children (wait in a shell)."},
                paragraph{
                    "--on-lost runs when the lock was lost, after the command was killed and "
                    "before pawl ends with status 79: to raise an alarm, or to undo what was half "
                    "done. It has the environment of the command, and no lock."},
            }};
}

[[nodiscard]] section schedule()
{
    return {
        .title = "In cron and systemd",
        .blocks = {
            paragraph{"Cron starts jobs without your environment: name the server with --url or in "
                      "a settings file (pawl --help), and give --require-remote, so that a "
                      "forgotten one fails instead of locking each machine by itself. With -n the "
                      "machines that come second skip the job; --hold-at-least keeps a short job "
                      "from running again on a machine whose clock is late:"},
            example{"0 3 * * *  pawl run --require-remote -n -E 0 --hold-at-least 1m KEY ./job"},
            paragraph{"local: is not for units of systemd and not for containers. With "
                      "PrivateTmp=yes, in a container, or as another user it is a server of its "
                      "own, and excludes nobody else; and a unit that ends takes the server that "
                      "it started along. Use a remote server, or one socket for all by --url "
                      "unix:/PATH. With KillMode=mixed SIGTERM goes to pawl only, which passes it "
                      "on."},
        }};
}

[[nodiscard]] section for_flock_users()
{
    return {.title = "For users of flock(1)",
            .blocks = {paragraph{
                "A KEY takes the place of the file, and -n, -w, -E, -c, -x mean the same. "
                "There are no shared locks (-s), no descriptors (flock 9), and nothing to "
                "unlock (-u): a lock ends with its command."}}};
}

[[nodiscard]] section exit_status()
{
    return {.title = "Exit status",
            .blocks = {
                paragraph{"That of the command. When a signal ended the command or the wait, pawl "
                          "ends by the same signal, which a shell shows as 128+n. Otherwise:"},
                entries{{
                    {"64", "wrong usage, or a mistake in a settings file"},
                    {"65", "the key is not a lock"},
                    {"69", "server unreachable"},
                    {"70", "internal error"},
                    {"75", "not acquired (see -E)"},
                    {"77", "refused by the server (ACL, TLS, memory)"},
                    {"79", "the lock was lost before it was given back"},
                    {"126", "the command cannot be run"},
                    {"127", "the command is not there"},
                }}}};
}

}  // namespace

std::vector<section> run_explanation()
{
    return {arguments(), command(), schedule(), for_flock_users(), exit_status()};
}

}  // namespace pawl::cli
