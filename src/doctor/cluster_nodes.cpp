#include "doctor/cluster_nodes.h"

namespace pawl::doctor {
namespace {

// ID HOST:PORT@BUS[,NAME] FLAGS PRIMARY PING PONG EPOCH LINK [SLOTS…]
constexpr std::size_t first_slots = 8;

void read_address(std::string_view text, cluster_node& into)
{
    text = text.substr(0, text.find_first_of("@,"));
    into.address = text;
    // The last colon: an IPv6 address has others.
    into.host = text.substr(0, text.rfind(':'));
}

// "100", "0-5460", or "[93->-ID]" and "[93-<-ID]" for a slot that is being moved.
void read_slots(std::string_view text, cluster_node& into)
{
    if (text.starts_with('[')) {
        text.remove_prefix(1);
        if (const auto slot = number_in(text.substr(0, text.find('-')))) into.moving.insert(*slot);
        return;
    }
    const auto dash = text.find('-');
    const auto first = number_in(text.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number_in(text.substr(dash + 1));
    constexpr std::int64_t greatest = 16'383;
    if (first && last && *first >= 0 && *last >= *first && *last <= greatest) {
        into.slots += static_cast<std::size_t>(*last - *first + 1);
    }
}

}  // namespace

std::vector<cluster_node> cluster_nodes_in(std::string_view text)
{
    std::vector<cluster_node> all;
    for (const std::string& line : split(text, '\n')) {
        const auto words = split(line, ' ');
        if (words.size() < first_slots) continue;
        cluster_node one;
        one.id = words[0];
        read_address(words[1], one);
        for (auto& flag : split(words[2], ',')) one.flags.insert(std::move(flag));
        if (words[3] != "-") one.primary = words[3];
        one.linked = words[7] == "connected" || one.has("myself");
        for (std::size_t i = first_slots; i < words.size(); ++i) read_slots(words[i], one);
        all.push_back(std::move(one));
    }
    return all;
}

}  // namespace pawl::doctor
