#include "raw_shares.h"

#include <stdexcept>

namespace pawl::bench {
namespace {

// KEYS 1 writer, 2 readers; ARGV 1 holder, 2 lease in ms. Reply: 1 granted.
constexpr std::string_view enter_as_reader = R"(
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local now = redis.call('TIME')
redis.call('ZADD', KEYS[2], now[1] * 1000 + math.floor(now[2] / 1000) + ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return 1
)";

constexpr std::string_view take = R"(
local now = redis.call('TIME')
now = now[1] * 1000 + math.floor(now[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('EXISTS', KEYS[2]) == 0 and redis.call('ZCARD', KEYS[1]) < tonumber(ARGV[3]) then
  redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 1
end
redis.call('RPUSH', KEYS[2], ARGV[1])
return 0
)";

// The holder is also the channel on which it is told.
constexpr std::string_view give = R"(
if redis.call('ZREM', KEYS[1], ARGV[1]) == 0 then return 0 end
local next = redis.call('LPOP', KEYS[2])
if next then
  local now = redis.call('TIME')
  redis.call('ZADD', KEYS[1], now[1] * 1000 + math.floor(now[2] / 1000) + ARGV[2], next)
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  redis.call('PUBLISH', next, ARGV[3])
end
return 1
)";

}  // namespace

reader_lock::reader_lock(const std::string& url, std::string_view name, std::string_view holder)
    : commands_{url}
{
    const std::string readers = "readers:" + std::string{name};
    acquire_ =
        request({"EVALSHA", commands_.load(enter_as_reader), "2", name, readers, holder, lease_ms});
    release_ = request({"ZREM", readers, holder});
}

void reader_lock::acquire()
{
    if (commands_.ask(acquire_) != ":1") throw std::runtime_error{"a writer holds the lock"};
}

void reader_lock::release()
{
    expect_held(commands_, release_);
}

permit_lock::permit_lock(const std::string& url, std::string_view name, std::string_view holder,
                         unsigned capacity)
    : raw_lock{url}
{
    const std::string queue = "queue:" + std::string{name};
    acquire_ = request({"EVALSHA", commands_.load(take), "2", name, queue, holder, lease_ms,
                        std::to_string(capacity)});
    release_ = request({"EVALSHA", commands_.load(give), "2", name, queue, holder, lease_ms,
                        raw_connection::notice});
    messages_.subscribe(holder);
}

std::string_view take_permit() noexcept
{
    return take;
}

std::string_view give_permit() noexcept
{
    return give;
}

}  // namespace pawl::bench
