// pawl lead --who and --watch: who leads?
#pragma once

#include "ending.h"
#include "lead_options.h"

namespace pawl::cli {

// Throws pawl::error.
[[nodiscard]] ending show_leader(const lead_options& options);
[[nodiscard]] ending watch_leaders(const lead_options& options);

}  // namespace pawl::cli
