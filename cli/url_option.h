// Which server a command uses. The first of these that is set counts:
//
//   server          --url, $PAWL_URL, the user's settings file, the system's, local:
//   require remote  --require-remote, $PAWL_REQUIRE_REMOTE, the same files, no
//
// The files are read only if they can change the result: not when --url or $PAWL_URL names a server
// other than local:.
#pragma once

#include "server_choice.h"

#include <CLI/CLI.hpp>

#include <string>

namespace pawl::cli {

struct server_options {
    std::string url;
    bool require_remote = false;
    CLI::Option* url_option = nullptr;
};

// The option --url.
void add_url(CLI::App& app, server_options& to);

// The option --require-remote.
void add_require_remote(CLI::App& app, server_options& to);

// Whether local: is refused if a remote server is required.
enum class remote { as_required, not_needed };

// To be called after the command line was parsed. Throws CLI::ParseError: with the text `no_memory`
// for a memory: URL, which no command can use; for local: where a remote server is required; and
// for mistakes in settings files.
[[nodiscard]] server_choice choose_server(const server_options& given, remote wanted,
                                          const std::string& no_memory);

// Says on stderr that no server was named, and what that means. Does nothing if one was named.
void tell_default(const server_choice& chosen, const std::string& meaning);

}  // namespace pawl::cli
