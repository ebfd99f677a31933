// The manual page and the completions. All are made from the same pages.
#pragma once

#include "page.h"

#include <string>

namespace pawl::cli {

// pawl(1), in roff.
[[nodiscard]] std::string man_page(const page& all, const std::string& version);

[[nodiscard]] std::string bash_completion(const page& all);
[[nodiscard]] std::string zsh_completion(const page& all);
[[nodiscard]] std::string fish_completion(const page& all);

// Whether KEY and a command with its arguments follow the options, as in `pawl run`.
[[nodiscard]] bool takes_command(const page& page);

// The kind of an option's value, for completion: a file, a command, or any text.
enum class value_kind { none, file, command, text };
[[nodiscard]] value_kind kind_of(const option_row& option);

}  // namespace pawl::cli
