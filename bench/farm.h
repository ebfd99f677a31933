// The private servers of a run.
#pragma once

#include "comparison.h"
#include "workload.h"

#include "support/redis_server.h"

#include <memory>
#include <string>
#include <vector>

namespace pawl::bench {

class farm {
public:
    // Starts as many servers as any of these workloads needs, and at least one.
    explicit farm(const std::vector<const workload*>& workloads);

    [[nodiscard]] const test::redis_server& first() const { return *servers_.front(); }

    // For a workload that needs several: the first ones.
    [[nodiscard]] arena arena_for(const workload& what, const std::string& over) const;

private:
    std::vector<std::unique_ptr<test::redis_server>> servers_;
};

}  // namespace pawl::bench
