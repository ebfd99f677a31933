// A lock over a majority of servers as most libraries have it: SET NX PX at all nodes at once. If this is not a
// majority, it gives back what it got, and tries again after a random pause.
#pragma once

#include "lock.h"
#include "raw_connection.h"

#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::bench {

class retry_lock final : public lock {
public:
    retry_lock(const std::string& url, std::string_view name, std::string_view holder);

    void acquire() override;
    void release() override;

private:
    // How many nodes replied with that line. Waits for all of them.
    [[nodiscard]] std::size_t ask_all(const std::string& request, std::string_view wanted);

    std::vector<std::unique_ptr<raw_connection>> nodes_;
    std::string acquire_;
    std::string release_;
    std::minstd_rand random_;
};

}  // namespace pawl::bench
