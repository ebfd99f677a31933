#include "raw_lock.h"

#include <stdexcept>

namespace pawl::bench {

void expect_held(raw_connection& connection, std::string_view bytes)
{
    if (connection.ask(bytes) != ":1") throw std::runtime_error{"the lock was not held"};
}

void raw_lock::acquire()
{
    if (commands_.ask(acquire_) != ":1") messages_.await_message();
}

void raw_lock::release()
{
    expect_held(commands_, release_);
}

std::string hand_off_release(std::string_view first)
{
    std::string script = R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
)";
    script += first;
    script += R"(
local next = redis.call('LPOP', KEYS[2])
if next then
  redis.call('SET', KEYS[1], next, 'PX', ARGV[2])
  redis.call('PUBLISH', next, ARGV[3])
else
  redis.call('DEL', KEYS[1])
end
return 1
)";
    return script;
}

}  // namespace pawl::bench
