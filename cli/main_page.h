// The text of `pawl --help`, which includes the pages of all subcommands.
#pragma once

#include "page.h"

namespace pawl::cli {

[[nodiscard]] page main_page();

}  // namespace pawl::cli
