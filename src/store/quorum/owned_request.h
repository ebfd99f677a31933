// A request with copies of all that it points to: for a thread that may stop waiting before the event loop has
// executed it.
#pragma once

#include "core/object.h"
#include "core/request.h"

#include <string>
#include <utility>
#include <vector>

namespace pawl::store {

class owned_request {
public:
    explicit owned_request(core::request what);
    ~owned_request() = default;
    owned_request(const owned_request&) = delete;
    owned_request& operator=(const owned_request&) = delete;

    [[nodiscard]] const core::request& get() const noexcept { return request_; }

private:
    void own(core::claim& mine);

    std::vector<std::pair<core::object, std::string>> owned_;  // its elements do not move
    std::string client_;
    core::request request_;
};

}  // namespace pawl::store
