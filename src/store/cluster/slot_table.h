// Which node of a Cluster has which slot. Without I/O.
#pragma once

#include "redis/resp.h"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::store {

struct node_address {
    std::string host;
    std::uint16_t port{};

    auto operator<=>(const node_address&) const = default;
};

class slot_table {
public:
    static constexpr std::size_t slot_count = 16'384;

    // The reply to CLUSTER SLOTS. Nothing if it is not valid, or if no node has any slot. A node that does not know
    // its own address leaves its host empty: then it is `asked`, the host that was asked.
    [[nodiscard]] static std::optional<slot_table> read(const redis::reply_view& reply,
                                                        std::string_view asked);

    // The primary that has the slot. Null if none is known. Valid until the table changes.
    [[nodiscard]] const node_address* owner(std::uint16_t slot) const noexcept;

    // A small number for each owner, which is the same as long as the table is not replaced. 0: no owner is known.
    [[nodiscard]] std::size_t owner_number(std::uint16_t slot) const noexcept
    {
        return owners_[slot];
    }

    // A node has answered that the slot is there: MOVED.
    void moved(std::uint16_t slot, const node_address& to);

    [[nodiscard]] bool is_owner(const node_address& node) const noexcept;

    // Whether each slot has the same owner there. The other nodes may differ.
    [[nodiscard]] bool has_owners_of(const slot_table& other) const noexcept;

    // All nodes of the reply, primaries and replicas, and those of moved().
    [[nodiscard]] const std::vector<node_address>& nodes() const noexcept { return nodes_; }

private:
    [[nodiscard]] std::uint16_t number_of(const node_address& node);
    [[nodiscard]] bool read_range(const redis::reply_view& range, std::string_view asked);

    std::vector<node_address> nodes_;
    // For each slot, one more than the index of its owner in `nodes_`, or 0.
    std::array<std::uint16_t, slot_count> owners_{};
};

}  // namespace pawl::store
