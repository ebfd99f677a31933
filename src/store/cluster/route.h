// What a Cluster must know about a request: its slot, and the messages that it makes the client wait for. Without I/O.
#pragma once

#include "core/request.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace pawl::store {

// The slot of all names of an object; or the failure that they are in different ones.
using slot_or_failure = std::variant<std::uint16_t, core::failure>;
[[nodiscard]] slot_or_failure slot_of(const core::object& what);

// The object of a request. Not for a renew_request.
[[nodiscard]] const core::object& object_of(const core::request& what);

// Whether the request has one key only.
[[nodiscard]] bool has_one_key(const core::request& what);

// The request makes a waiter known at the node, or finds it there. So the client must hear messages for `tags` from the
// node, for this time.
struct hearing_need {
    std::vector<std::string> tags;
    std::chrono::milliseconds lasts{};
};
[[nodiscard]] std::optional<hearing_need> hearing_need_of(const core::request& what);

// A lock that may linger: the client should hear when another one wants it. The time is that of its lease.
[[nodiscard]] std::optional<hearing_need> lingering_need_of(const core::request& what);

}  // namespace pawl::store
