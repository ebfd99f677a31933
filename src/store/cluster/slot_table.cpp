#include "store/cluster/slot_table.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace pawl::store {
namespace {

// No Cluster has so many.
constexpr std::size_t most_nodes = 10'000;

std::optional<node_address> read_node(const redis::reply_view& node, std::string_view asked)
{
    if (node.size() < 2) return std::nullopt;
    const auto host = node[0].text();
    const auto port = node[1].integer();
    if (port <= 0 || port > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
    const bool is_asked = host.empty() || host == "?";
    return node_address{std::string{is_asked ? asked : host}, static_cast<std::uint16_t>(port)};
}

}  // namespace

std::optional<slot_table> slot_table::read(const redis::reply_view& reply, std::string_view asked)
{
    if (reply.type() != redis::resp_type::array) return std::nullopt;
    slot_table got;
    bool valid = true;
    reply.for_each([&](const auto& range) { valid = valid && got.read_range(range, asked); });
    if (!valid || got.nodes_.empty()) return std::nullopt;
    return got;
}

// First and last slot, the primary, and its replicas.
bool slot_table::read_range(const redis::reply_view& range, std::string_view asked)
{
    if (range.size() < 3) return false;
    const auto first = range[0].integer();
    const auto last = range[1].integer();
    if (first < 0 || last < first || last >= static_cast<std::int64_t>(slot_count)) return false;
    std::optional<std::uint16_t> owner;
    std::size_t index = 0;
    bool valid = true;
    range.for_each([&](const auto& each) {
        if (index++ < 2 || !valid) return;
        const auto node = read_node(each, asked);
        valid = node && nodes_.size() < most_nodes;
        if (!valid) return;
        const auto number = number_of(*node);
        if (!owner) owner = number;
    });
    if (!valid) return false;
    std::fill(owners_.begin() + first, owners_.begin() + last + 1, *owner);
    return true;
}

std::uint16_t slot_table::number_of(const node_address& node)
{
    const auto found = std::ranges::find(nodes_, node);
    const auto index = found - nodes_.begin();
    if (found == nodes_.end()) nodes_.push_back(node);
    return static_cast<std::uint16_t>(index + 1);
}

const node_address* slot_table::owner(std::uint16_t slot) const noexcept
{
    const auto number = owners_[slot];
    return number == 0 ? nullptr : &nodes_[number - 1U];
}

void slot_table::moved(std::uint16_t slot, const node_address& to)
{
    if (nodes_.size() < most_nodes) owners_[slot] = number_of(to);
}

bool slot_table::is_owner(const node_address& node) const noexcept
{
    const auto found = std::ranges::find(nodes_, node);
    if (found == nodes_.end()) return false;
    const auto number = static_cast<std::uint16_t>(found - nodes_.begin() + 1);
    return std::ranges::find(owners_, number) != owners_.end();
}

bool slot_table::has_owners_of(const slot_table& other) const noexcept
{
    // Neighbouring slots mostly have the same owner, so few addresses are compared.
    std::pair<std::uint16_t, std::uint16_t> compared{};
    for (std::size_t slot = 0; slot < slot_count; ++slot) {
        const std::pair both{owners_[slot], other.owners_[slot]};
        if (std::exchange(compared, both) == both) continue;
        const auto* const mine = owner(static_cast<std::uint16_t>(slot));
        const auto* const theirs = other.owner(static_cast<std::uint16_t>(slot));
        const bool same = mine == nullptr || theirs == nullptr ? mine == theirs : *mine == *theirs;
        if (!same) return false;
    }
    return true;
}

}  // namespace pawl::store
