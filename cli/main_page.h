// What `pawl --help` says, and with it all that its commands say.
#pragma once

#include "page.h"

namespace pawl::cli {

[[nodiscard]] page main_page();

}  // namespace pawl::cli
