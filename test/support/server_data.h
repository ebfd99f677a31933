// What a stopped server keeps on disk. For tests of servers that come back with their data, without
// it, or with an old copy.
#pragma once

#include "support/temp_dir.h"

#include <filesystem>

namespace pawl::test {

class redis_server;

// Lines of redis.conf for a server that keeps everything it has answered.
inline constexpr const char* durable_config = "appendonly yes\nappendfsync always";

// Deletes what the server keeps. It must be stopped.
void delete_data(const redis_server& server);

// A copy of what a server keeps. Good also while the server runs, if it is durable: a copy in the
// middle of a write ends with a cut command, which the server drops when it starts.
class data_copy {
public:
    explicit data_copy(const redis_server& server);

    // Replaces what the server keeps. It must be stopped.
    void put_back(const redis_server& server) const;

private:
    temp_dir dir_;
};

}  // namespace pawl::test
