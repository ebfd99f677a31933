// The checks of a leader, besides those of a lock with one holder: what others read belongs to the leader.
#pragma once

#include "sim/exclusive_checker.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::sim {

class leader_checker final : public exclusive_checker {
public:
    using exclusive_checker::exclusive_checker;

    void after(const std::vector<std::string_view>& words, std::string_view reply) override;
    void read(std::size_t lock, std::uint64_t fence, std::string_view payload) override;

private:
    [[nodiscard]] std::string payload_of(const std::string& holder) const;

    std::map<std::string, std::string, std::less<>> candidates_;  // the text of each holder
};

}  // namespace pawl::sim
