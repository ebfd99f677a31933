// Which server a command talks to: --url, else $PAWL_URL, else this user's private one.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace pawl::cli {

// The option --url.
[[nodiscard]] CLI::Option* add_url(CLI::App& app, std::string& url);

// To be called when the line was understood: finds the URL if the option did not give it. True when
// neither did the environment, and it is local: by default. Throws CLI::ParseError with
// `no_memory` for a memory: URL, which is of no use to any command.
[[nodiscard]] bool take_url(const CLI::Option& option, std::string& url,
                            const std::string& no_memory);

}  // namespace pawl::cli
