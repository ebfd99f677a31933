#include "store/quorum/owned_request.h"

namespace pawl::store {

owned_request::owned_request(core::request what) : request_{std::move(what)}
{
    if (auto* const acquire = std::get_if<core::acquire_request>(&request_)) {
        own(acquire->mine);
        client_ = acquire->client;
        acquire->client = client_;
    } else if (auto* const renew = std::get_if<core::renew_request>(&request_)) {
        owned_.reserve(renew->all.size());
        for (auto& each : renew->all) own(each.mine);
    } else if (auto* const question = std::get_if<core::exchange_request>(&request_)) {
        std::visit(
            [this](auto& each) {
                if constexpr (requires { each.mine; }) own(each.mine);
            },
            *question);
    }
}

void owned_request::own(core::claim& mine)
{
    const auto& copy = owned_.emplace_back(*mine.what, std::string{mine.holder});
    mine = {&copy.first, copy.second};
}

}  // namespace pawl::store
