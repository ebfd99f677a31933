#include "run_help.h"

namespace pawl::cli {
namespace {

[[nodiscard]] section arguments()
{
    return {.title = "Arguments",
            .blocks = {entries{{
                {"KEY",
                 "the name of the lock: 1 to 512 bytes. A name that begins with a dash is "
                 "written between two --"},
                {"COMMAND",
                 "the command to run, with its arguments. It begins at the first word after "
                 "KEY that is not an option, or after --"},
                {"DURATION",
                 "500ms, 30s, 5m, 2h; a plain number is seconds; fractions are "
                 "allowed"},
            }}}};
}

[[nodiscard]] section command()
{
    return {
        .title = "The command",
        .blocks = {
            paragraph{"It has PAWL_KEY, PAWL_FENCE and PAWL_HOLDER in its environment. PAWL_FENCE "
                      "grows with every grant of the lock. Pass it to the resource that the lock "
                      "protects, and let the resource refuse smaller numbers."},
            paragraph{
                "A pawl run inside the command that would wait for a lock of an outer pawl "
                "run fails at once, with status 64. It knows these locks from PAWL_HOLDER and "
                "PAWL_OUTER_HOLDERS. env -i or sudo in between hides them."},
            paragraph{"The command runs in its own process group. The group gets the signals that "
                      "pawl gets. When the lock is about to be lost, the group gets SIGTERM and, "
                      "after the grace period, SIGKILL. When pawl itself is killed, the group is "
                      "killed at once. While a command is suspended with Ctrl-Z, its lock is not "
                      "renewed, and the command is killed when the lease ends."},
            paragraph{"With --longest-hold, the group is ended in the same way before the command "
                      "has had the lock for that time, so that a job that hangs does not keep the "
                      "lock for ever."},
            paragraph{"Processes that the command leaves in the background run on without the "
                      "lock. Let the command wait for its children (wait in a shell)."},
            paragraph{"The --on-lost command runs when the lock was lost, after the command was "
                      "killed and before pawl ends with status 79. Use it to raise an alarm, or to "
                      "undo incomplete work. It has the environment of the command, but no lock."},
        }};
}

[[nodiscard]] section semaphore()
{
    return {
        .title = "Several at the same time",
        .blocks = {
            paragraph{"With --capacity, KEY is a semaphore: several commands run at the same time, "
                      "as long as their permits are not more than the capacity. Permits are "
                      "granted in the order of the requests. For example, at most 3 backups at "
                      "the same time, on all machines together:"},
            example{"pawl run --capacity 3 backups ./backup"},
            paragraph{"All runs must give the same capacity; another one is refused with status "
                      "77. A pawl run inside the command that takes permits of the same "
                      "semaphore is not recognised: it may wait for itself."},
        }};
}

[[nodiscard]] section several_locks()
{
    return {
        .title = "Several locks",
        .blocks = {
            paragraph{"With --also, the command runs under several locks, up to 16. They are taken "
                      "together, all or none, and no lock is held while pawl waits for the others. "
                      "So two commands that name the same locks in another order cannot block each "
                      "other:"},
            example{"pawl run account:1 --also account:2 -- ./transfer 1 2"},
            paragraph{"If one of the locks is lost, the whole is lost. PAWL_KEY is the KEY without "
                      "the others. PAWL_FENCE is the same for all of them."},
        }};
}

[[nodiscard]] section readers()
{
    return {.title = "Readers and writers",
            .blocks = {
                paragraph{
                    "Commands with --shared run at the same time. A command with --writer runs "
                    "alone: it waits until all of them have ended, and those that come later wait "
                    "for it:"},
                example{"pawl run --shared prices ./report"},
                example{"pawl run --writer prices ./refresh"},
                paragraph{
                    "Such a KEY is a lock of another kind. All commands must use --shared or "
                    "--writer for it; without them, the key is refused with status 65. A pawl run "
                    "inside the command that uses the same KEY is not recognised: it may wait for "
                    "itself. PAWL_FENCE of a reader is the number of the last writer."},
            }};
}

[[nodiscard]] section schedule()
{
    return {
        .title = "In cron and systemd",
        .blocks = {
            paragraph{
                "Cron starts jobs without your environment. Name the server with --url or in "
                "a settings file (pawl --help). Add --require-remote: a job without a server "
                "then fails, instead of locking each machine separately. With -n, only the "
                "first machine runs the job, and the others skip it. --hold-at-least prevents "
                "a machine whose clock is late from running a short job again:"},
            example{"0 3 * * *  pawl run --require-remote -n -E 0 --hold-at-least 1m KEY ./job"},
            paragraph{
                "Do not use local: in systemd units or containers. With PrivateTmp=yes, in a "
                "container, or as another user, it is a separate server, and excludes nothing "
                "outside. A unit that ends also ends the server that it started. Use a remote "
                "server, or one socket for all with --url unix:/PATH. With KillMode=mixed, "
                "SIGTERM goes to pawl only, and pawl passes it on."},
        }};
}

[[nodiscard]] section periods()
{
    return {
        .title = "Once per period",
        .blocks = {
            paragraph{"With --every, the command runs at most once in each period, on all machines "
                      "together. If it is not due, or runs already, pawl ends at once with status "
                      "75 (see -E). pawl once does the same with status 0, and its help has the "
                      "details."},
            example{"pawl run --every 24h --aligned report ./report"},
        }};
}

[[nodiscard]] section for_flock_users()
{
    return {.title = "For users of flock(1)",
            .blocks = {paragraph{
                "A KEY takes the place of the file. -n, -w, -E, -c and -x mean the same. Commands "
                "with -s share their lock as with flock, but the others must then use --writer: "
                "-x is for locks that nobody shares. There are no descriptors (flock 9). Unlocking "
                "(-u) is not needed: a lock ends with its command."}}};
}

[[nodiscard]] section exit_status()
{
    return {.title = "Exit status",
            .blocks = {
                paragraph{
                    "The status of the command. When a signal ended the command or the wait, pawl "
                    "ends by the same signal, which a shell shows as 128+n. Otherwise:"},
                entries{{
                    {"64", "wrong usage, or a mistake in a settings file"},
                    {"65", "the key is not a lock"},
                    {"69", "server unreachable, or no quorum"},
                    {"70", "internal error"},
                    {"75", "not acquired, or not due (see -E)"},
                    {"77", "refused by the server (ACL, TLS, memory)"},
                    {"79", "the lock was lost before it was released"},
                    {"126", "the command cannot be run"},
                    {"127", "the command was not found"},
                }}}};
}

}  // namespace

std::vector<section> run_explanation()
{
    return {arguments(), command(),  semaphore(),       several_locks(), readers(),
            periods(),   schedule(), for_flock_users(), exit_status()};
}

}  // namespace pawl::cli
