#include "raw_schemes.h"

#include <stdexcept>

namespace pawl::bench {
namespace {

constexpr std::string_view lease_ms = "30000";

// KEYS 1 lock, 2 channel; ARGV 1 holder, 2 notice. Reply: 1 if it was held.
constexpr std::string_view publish_release = R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', KEYS[2], ARGV[2])
return 1
)";

// KEYS 1 lock, 2 queue; ARGV 1 holder, 2 lease in ms. Reply: 1 granted, 0 queued.
constexpr std::string_view hand_off_acquire = R"(
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
redis.call('RPUSH', KEYS[2], ARGV[1])
return 0
)";

// KEYS 1 lock, 2 queue; ARGV 1 holder, 2 lease in ms, 3 notice. The holder is also the channel.
constexpr std::string_view hand_off_release = R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local next = redis.call('LPOP', KEYS[2])
if next then
  redis.call('SET', KEYS[1], next, 'PX', ARGV[2])
  redis.call('PUBLISH', next, ARGV[3])
else
  redis.call('DEL', KEYS[1])
end
return 1
)";

std::string load(raw_connection& connection, std::string_view script)
{
    return connection.ask_text(request({"SCRIPT", "LOAD", script}));
}

void release_by(raw_connection& connection, std::string_view bytes)
{
    if (connection.ask(bytes) != ":1") throw std::runtime_error{"the lock was not held"};
}

}  // namespace

publish_lock::publish_lock(const std::string& url, std::string_view name, std::string_view holder)
    : commands_{url}, messages_{url}, acquire_{request({"SET", name, holder, "NX", "PX", lease_ms})}
{
    const std::string channel = "released:" + std::string{name};
    release_ = request({"EVALSHA", load(commands_, publish_release), "2", name, channel, holder,
                        raw_connection::notice});
    messages_.subscribe(channel);
}

void publish_lock::acquire()
{
    // Each old message would cost an attempt. Messages that arrive from here on are kept: one of
    // them may report a release that comes after the attempt.
    messages_.drop_messages();
    while (commands_.ask(acquire_) != "+OK") messages_.await_message();
}

void publish_lock::release()
{
    release_by(commands_, release_);
}

hand_off_lock::hand_off_lock(const std::string& url, std::string_view name, std::string_view holder)
    : commands_{url}, messages_{url}
{
    const std::string queue = "queue:" + std::string{name};
    acquire_ =
        request({"EVALSHA", load(commands_, hand_off_acquire), "2", name, queue, holder, lease_ms});
    release_ = request({"EVALSHA", load(commands_, hand_off_release), "2", name, queue, holder,
                        lease_ms, raw_connection::notice});
    messages_.subscribe(holder);
}

void hand_off_lock::acquire()
{
    if (commands_.ask(acquire_) != ":1") messages_.await_message();
}

void hand_off_lock::release()
{
    release_by(commands_, release_);
}

}  // namespace pawl::bench
