#include "support/server_data.h"

#include "support/redis_server.h"

namespace pawl::test {

namespace {

namespace fs = std::filesystem;

// Of Redis 7 and later, and of Redis 6.
constexpr const char* names[] = {"appendonlydir", "appendonly.aof", "dump.rdb"};

void copy_data(const fs::path& from, const fs::path& to)
{
    for (const char* name : names) {
        if (fs::exists(from / name)) fs::copy(from / name, to / name, fs::copy_options::recursive);
    }
}

}  // namespace

void delete_data(const redis_server& server)
{
    for (const char* name : names) fs::remove_all(server.folder() / name);
}

data_copy::data_copy(const redis_server& server)
{
    copy_data(server.folder(), dir_.path());
}

void data_copy::put_back(const redis_server& server) const
{
    delete_data(server);
    copy_data(dir_.path(), server.folder());
}

}  // namespace pawl::test
