#include "store/cluster/route.h"

#include "store/redis/keys.h"

#include <algorithm>
#include <type_traits>

namespace pawl::store {
namespace {

// A holder with its client in it: the lock may linger.
constexpr std::size_t lingering_holder_size = 48;

std::vector<std::string> tags_of(const core::object& what)
{
    std::vector<std::string> tags;
    for (const auto& name : core::names_of(what)) {
        auto tag = key_tail{name}.tag();
        if (std::ranges::find(tags, tag) == tags.end()) tags.push_back(std::move(tag));
    }
    return tags;
}

core::failure different_slots(const std::string& first, const std::string& other)
{
    const auto in_slot = [](const std::string& name) {
        return "'" + name + "' in slot " + std::to_string(hash_slot(name));
    };
    return {
        .what = core::failure_kind::refused,
        .detail = "the locks are in different slots of the Cluster: " + in_slot(first) + ", " +
                  in_slot(other) +
                  " (allowed: names with the same hash tag, such as {order}:a and {order}:b; or a "
                  "mutex for each name, locked together by std::scoped_lock)"};
}

const core::object& object_in(const auto& request)
{
    if constexpr (requires { request.mine; }) {
        return *request.mine.what;
    } else if constexpr (requires { request.waiter; }) {
        return *request.waiter.what;
    } else {
        return *request.what;
    }
}

}  // namespace

slot_or_failure slot_of(const core::object& what)
{
    const auto names = core::names_of(what);
    const auto slot = hash_slot(names.front());
    for (const auto& each : names) {
        if (hash_slot(each) != slot) return different_slots(names.front(), each);
    }
    return slot;
}

const core::object& object_of(const core::request& what)
{
    if (const auto* const acquire = std::get_if<core::acquire_request>(&what)) {
        return *acquire->mine.what;
    }
    return std::visit([](const auto& each) -> const core::object& { return object_in(each); },
                      std::get<core::exchange_request>(what));
}

bool has_one_key(const core::request& what)
{
    const auto* const any = std::get_if<core::exchange_request>(&what);
    if (any == nullptr) return false;
    const bool about_hold = std::holds_alternative<core::count_request>(*any) ||
                            std::holds_alternative<core::extend_request>(*any) ||
                            std::holds_alternative<core::check_request>(*any);
    const bool reads = std::holds_alternative<core::read_request>(*any) ||
                       std::holds_alternative<core::due_request>(*any);
    return reads || (about_hold && core::names_of(object_of(what)).size() == 1);
}

std::optional<hearing_need> hearing_need_of(const core::request& what)
{
    if (const auto* const acquire = std::get_if<core::acquire_request>(&what)) {
        if (!acquire->wait) return std::nullopt;
        return hearing_need{tags_of(*acquire->mine.what), *acquire->wait};
    }
    const auto& any = std::get<core::exchange_request>(what);
    if (const auto* const wait = std::get_if<core::wait_request>(&any)) {
        return hearing_need{tags_of(*wait->waiter.what), wait->stay};
    }
    if (const auto* const look = std::get_if<core::look_request>(&any); look && !look->leaves) {
        return hearing_need{tags_of(*look->waiter.what), look->stay};
    }
    return std::nullopt;
}

std::optional<hearing_need> lingering_need_of(const core::request& what)
{
    const auto need = [](const core::claim& mine, auto lease) -> std::optional<hearing_need> {
        if (mine.holder.size() != lingering_holder_size) return std::nullopt;
        return hearing_need{tags_of(*mine.what), lease};
    };
    if (const auto* const acquire = std::get_if<core::acquire_request>(&what)) {
        return need(acquire->mine, acquire->lease);
    }
    const auto& any = std::get<core::exchange_request>(what);
    if (const auto* const keep = std::get_if<core::keep_request>(&any)) {
        return need(keep->mine, keep->lease);
    }
    return std::nullopt;
}

}  // namespace pawl::store
