// Checks the ranges of all options. Each function throws pawl::error (bad_argument) with a message that gives
// the option, its value and the allowed values.
#pragma once

#include "core/object.h"
#include "sync/lock_settings.h"

#include <pawl/options.h>

#include <chrono>
#include <cstddef>
#include <string_view>

namespace pawl::sync {

void validate(const client_options& options);
void validate(const core::object& what, const lock_options& options, fairness fairness);
// The locks of a quorum: fewer kinds, and shorter leases.
void validate_on_quorum(const lock_settings& lock, const client_options& options);
void validate_lease_on_quorum(std::string_view option, std::chrono::milliseconds lease,
                              const client_options& options);
// `type` is the name of a type that a quorum does not have.
[[noreturn]] void refuse_on_quorum(std::string_view type);
void validate_capacity(unsigned capacity);
void validate_payload(std::string_view payload);
void validate_permits(unsigned permits, unsigned most);
void validate_lease(std::string_view option, std::chrono::milliseconds lease);
void validate_names(std::size_t names);
void validate_stripes(std::size_t stripes);
void validate_stripe(std::size_t index, std::size_t stripes);

}  // namespace pawl::sync
