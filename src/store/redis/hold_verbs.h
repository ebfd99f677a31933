// Requests about a hold or an object, as calls of scripts: how they are written, and what the replies mean.
#pragma once

#include "core/request.h"
#include "redis/resp.h"
#include "store/redis/reading.h"
#include "store/redis/script_call.h"

#include <chrono>
#include <concepts>
#include <span>
#include <string>
#include <vector>

namespace pawl::store {

void append(std::string& out, const core::count_request& what, const script_style& how);
void append(std::string& out, const core::check_request& what, const script_style& how);
// `now` is for the announcement.
using wall_time = std::chrono::system_clock::time_point;
void append(std::string& out, const core::release_request& what, const script_style& how,
            wall_time now);
void append(std::string& out, const core::keep_request& what, const script_style& how,
            wall_time now);
void append(std::string& out, const core::resize_request& what, const script_style& how);

// One lease or several, all stored in the same way.
void append(std::string& out, std::span<const core::extend_request> all, const script_style& how);

[[nodiscard]] core::hold_reply read(const core::count_request& what,
                                    const redis::reply_view& reply);
[[nodiscard]] core::keep_reply read(const core::keep_request& what, const redis::reply_view& reply);
[[nodiscard]] core::resize_reply read(const core::resize_request& what,
                                      const redis::reply_view& reply);

// The requests whose scripts reply with a status and no more.
template <class Request>
concept replied_with_status =
    std::same_as<Request, core::check_request> || std::same_as<Request, core::release_request> ||
    std::same_as<Request, core::wait_request> || std::same_as<Request, core::look_request> ||
    std::same_as<Request, core::notify_request>;

template <replied_with_status Request>
[[nodiscard]] core::hold_reply read(const Request& /*what*/, const redis::reply_view& reply)
{
    return read_hold(reply);
}

// Returns a reply for each lease.
[[nodiscard]] std::vector<core::hold_reply> read(std::span<const core::extend_request> all,
                                                 const redis::reply_view& reply);

}  // namespace pawl::store
