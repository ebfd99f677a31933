#include "once_help.h"

namespace pawl::cli {

std::vector<section> once_explanation()
{
    return {
        {.title = "How once works",
         .blocks =
             {paragraph{
                  "Start it on every machine, as often as you like: the first one runs the "
                  "command, and the others end at once with status 0. Two runs never overlap, "
                  "even if one takes longer than the period. The server's clock counts, not "
                  "that of the machines."},
              paragraph{"A period begins when the command starts. With --aligned it begins at a "
                        "multiple of --every since 1970-01-01 00:00 UTC instead: with 1h at each "
                        "full hour, with 24h at midnight UTC. Use --aligned if cron starts the job "
                        "once per period. Without it, a start that comes a moment earlier in its "
                        "period than the last one is not due, and is skipped:"},
              example{"0 * * * *  pawl once --require-remote --every 1h --aligned KEY ./job"},
              paragraph{"Without --retry-failed, a run counts however it ends. With it, only a "
                        "command that ends with status 0 counts. After any other end, and after a "
                        "crash of the machine, the next start in the same period runs the command "
                        "again. So start it more often than once per period:"},
              example{"*/5 * * * *  pawl once --every 24h --aligned --retry-failed KEY ./job"},
              paragraph{"The environment of the command, signals and --on-lost are as with pawl "
                        "run."}}},
        {.title = "Exit status of pawl once",
         .blocks = {
             paragraph{"The status of the command, if it ran. When a signal ended it, pawl ends by "
                       "the same signal. Otherwise:"},
             entries{{
                 {"0", "not due, or it runs already (-v says which)"},
                 {"64", "wrong usage, or a mistake in a settings file"},
                 {"65", "the key is something else"},
                 {"69", "server unreachable"},
                 {"70", "internal error"},
                 {"77", "refused by the server (ACL, TLS, memory)"},
                 {"79", "the lock was lost before it was released"},
                 {"126", "the command cannot be run"},
                 {"127", "the command was not found"},
             }}}}};
}

}  // namespace pawl::cli
