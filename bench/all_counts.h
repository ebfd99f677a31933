// Like server_counts.h, for all servers of a workload together.
#pragma once

#include "server_counts.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pawl::bench {

class all_counts {
public:
    explicit all_counts(const std::vector<std::string>& urls);

    // Empties the servers. Several servers are nodes of a quorum, and may vote at once.
    void flush();

    // At the first server: all nodes of a quorum get the same requests.
    [[nodiscard]] sent_by_clients listen(std::chrono::milliseconds how_long) const;
    [[nodiscard]] sent_by_clients listen(const std::function<bool()>& over) const;

    void reset();

    // The sum.
    [[nodiscard]] server_load load(const sent_by_clients& sent);

private:
    std::vector<std::unique_ptr<server_counts>> servers_;
};

}  // namespace pawl::bench
