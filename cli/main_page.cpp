#include "main_page.h"

#include "bench_options.h"
#include "local.h"
#include "run_options.h"

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
                {"unix:/PATH", "a server on this machine, by its socket"},
                {"local:",
                 "this user's private server on this machine, started when it is needed; "
                 "needs redis-server"},
            }},
            paragraph{"In USER and PASSWORD write @ as %40, : as %3A, / as %2F, ? as %3F and % as "
                      "%25. Parameters follow as ?NAME=VALUE&NAME=VALUE:"},
            entries{{
                {"db", "the database, a number"},
                {"name", "what the server calls the connection; pawl:HOST:PID unless given"},
                {"password_file", "its first line is the password; read on each connect"},
                {"password_env", "the environment variable that has the password"},
                {"ca_file", "the certificates to trust, PEM; the system's unless given"},
                {"cert_file", "this client's certificate, PEM; needs key_file"},
                {"key_file", "the key of that certificate, PEM"},
                {"server_name", "the name in the server's certificate, if it is not HOST"},
                {"verify", "on, or off: any certificate will do (for tests only)"},
            }},
            paragraph{"Redis Sentinel, Redis Cluster and a quorum of several servers are not "
                      "supported yet."},
        }};
}

[[nodiscard]] section settings_files()
{
    return {
        .title = "Settings files",
        .blocks = {
            paragraph{"$XDG_CONFIG_HOME/pawl.conf (else ~/.config/pawl.conf) for a user, and "
                      "/etc/pawl.conf for all; or only the file that PAWL_CONFIG names. Lines are "
                      "KEY = VALUE, or a comment if they begin with #."},
            entries{{
                {"url", "the server"},
                {"password_file",
                 "belongs to the url of the same file, as do the next three; an "
                 "absolute path"},
                {"ca_file", "likewise"},
                {"cert_file", "likewise"},
                {"key_file", "likewise"},
                {"require_remote", "yes or no, as --require-remote"},
            }},
            paragraph{"The first that says something counts: option, environment, user's file, "
                      "system's file. A file with a password in its url must be readable by its "
                      "owner only (chmod 600)."},
        }};
}

[[nodiscard]] section environment()
{
    return {.title = "Environment",
            .blocks = {entries{{
                {"PAWL_URL", "the server"},
                {"PAWL_REQUIRE_REMOTE", "yes: pawl run refuses local:"},
                {"PAWL_CONFIG", "the one settings file to read; /dev/null for none"},
                {"PAWL_LOCAL_DIR", "where the local: server lives; /tmp/pawl-UID unless given"},
            }}}};
}

}  // namespace

page main_page()
{
    return {
        .name = "pawl",
        .summary = "Locks that span processes and machines, on Redis.",
        .usage = {"pawl run [OPTIONS] KEY [--] COMMAND [ARG...]",
                  "pawl run [OPTIONS] KEY -c STRING", "pawl bench [OPTIONS]",
                  "pawl local status | stop", "pawl --help | --version"},
        .options = {{.names = {"-h", "--help"},
                     .argument = {},
                     .help = "Show this help, or that of a command, and exit"},
                    {.names = {"-V", "--version"},
                     .argument = {},
                     .help = "Show the version and exit"}},
        .commands = {run_page(), bench_page(), local_page()},
        .sections = {servers(), settings_files(), environment()},
    };
}

}  // namespace pawl::cli
