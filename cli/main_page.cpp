#include "main_page.h"

#include "bench_options.h"
#include "break_hold.h"
#include "doctor.h"
#include "gate_options.h"
#include "lead_options.h"
#include "local.h"
#include "ls.h"
#include "quorum.h"
#include "run_options.h"
#include "show.h"
#include "top.h"
#include "wait_free.h"

namespace pawl::cli {
namespace {

[[nodiscard]] section servers()
{
    return {
        .title = "Servers (URL)",
        .blocks = {
            entries{{
                {"redis://[USER[:PASSWORD]@]HOST[:PORT][/DB]", "one server; port 6379, database 0"},
                {"rediss://...", "the same over TLS"},
                {"redis+sentinel://[USER[:PASSWORD]@]HOST[:PORT],.../SERVICE[/DB]",
                 "the primary that the sentinels at these addresses name; port 26379"},
                {"rediss+sentinel://...", "the same over TLS"},
                {"redis+cluster://[USER[:PASSWORD]@]HOST[:PORT],...",
                 "a Redis Cluster: some of its nodes; port 6379"},
                {"rediss+cluster://...", "the same over TLS"},
                {"unix:/PATH", "a server on this machine, by its socket"},
                {"local:",
                 "this user's private server on this machine, started when it is needed; "
                 "needs redis-server"},
                {"redlock:URL,URL,URL",
                 "a quorum of 3, 5 or 7 independent servers, of which most must agree"},
            }},
            paragraph{"In USER and PASSWORD write @ as %40, : as %3A, / as %2F, ? as %3F and % as "
                      "%25. Parameters follow as ?NAME=VALUE&NAME=VALUE:"},
            entries{{
                {"db", "the database, a number"},
                {"name", "a label for the connections at the server (default pawl)"},
                {"password_file", "a file whose first line is the password; read at each connect"},
                {"password_env", "the environment variable that contains the password"},
                {"ca_file", "the certificates to trust, PEM (default: the system's)"},
                {"cert_file", "this client's certificate, PEM; needs key_file"},
                {"key_file", "the key of that certificate, PEM"},
                {"server_name", "the name in the server's certificate, if it is not HOST"},
                {"verify", "on, or off to accept any certificate (for tests only)"},
                {"acknowledged",
                 "how many replicas must acknowledge a grant: a number, or majority (default: 0)"},
            }},
            paragraph{
                "With sentinels, USER, PASSWORD and these parameters are for the primary. Those "
                "for the sentinels are sentinel_user, sentinel_password_file, "
                "sentinel_password_env, sentinel_tls (on or off; default: as the primary), "
                "sentinel_ca_file, sentinel_cert_file, sentinel_key_file, sentinel_server_name "
                "and sentinel_verify."},
        }};
}

[[nodiscard]] section settings_files()
{
    return {
        .title = "Settings files",
        .blocks = {
            paragraph{"$XDG_CONFIG_HOME/pawl.conf (or ~/.config/pawl.conf) for a user, and "
                      "/etc/pawl.conf for all users. If PAWL_CONFIG is set, only the file that it "
                      "names. A line is KEY = VALUE, or a comment if it begins with #."},
            entries{{
                {"url", "the server"},
                {"password_file",
                 "for the url of the same file (with redlock: for each node), like the next "
                 "three; an absolute path"},
                {"ca_file", "the same"},
                {"cert_file", "the same"},
                {"key_file", "the same"},
                {"require_remote", "yes or no, like --require-remote"},
            }},
            paragraph{
                "The first source that has a setting counts: option, environment, user's file, "
                "system's file. A file with a password in its url must be "
                "readable by its owner only (chmod 600)."},
        }};
}

[[nodiscard]] section environment()
{
    return {
        .title = "Environment",
        .blocks = {entries{{
            {"PAWL_URL", "the server"},
            {"PAWL_REQUIRE_REMOTE", "yes: pawl run, once, latch, barrier and lead refuse local:"},
            {"PAWL_CONFIG", "the only settings file to read; /dev/null for none"},
            {"PAWL_LOCAL_DIR", "directory of the local: server (default /tmp/pawl-UID)"},
        }}}};
}

}  // namespace

page main_page()
{
    return {
        .name = "pawl",
        .summary = "Locks that span processes and machines, on Redis.",
        .usage = {"pawl run [OPTIONS] KEY [--] COMMAND [ARG...]",
                  "pawl run [OPTIONS] KEY -c STRING",
                  "pawl once --every DURATION [OPTIONS] KEY [--] COMMAND [ARG...]",
                  "pawl latch --count N [OPTIONS] KEY", "pawl latch --count N --down[=K] KEY",
                  "pawl barrier --count N [OPTIONS] KEY",
                  "pawl lead [OPTIONS] KEY -- COMMAND [ARG...]",
                  "pawl lead --who | --watch [OPTIONS] KEY", "pawl bench [OPTIONS]",
                  "pawl local status | stop", "pawl quorum show | init",
                  "pawl ls [OPTIONS] [PATTERN]", "pawl show [OPTIONS] KEY",
                  "pawl top [OPTIONS] [PATTERN]", "pawl wait [OPTIONS] KEY",
                  "pawl break [OPTIONS] KEY", "pawl doctor [OPTIONS]", "pawl --help | --version"},
        .options = {{.names = {"-h", "--help"},
                     .argument = {},
                     .help = "Show this help, or that of a command, and exit"},
                    {.names = {"-V", "--version"},
                     .argument = {},
                     .help = "Show the version and exit"}},
        .commands = {run_page(), once_page(), latch_page(), barrier_page(), lead_page(),
                     bench_page(), local_page(), quorum_page(), ls_page(), show_page(), top_page(),
                     wait_free_page(), break_hold_page(), doctor_page()},
        .sections = {servers(), settings_files(), environment()},
    };
}

}  // namespace pawl::cli
