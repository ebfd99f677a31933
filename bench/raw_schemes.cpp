#include "raw_schemes.h"

namespace pawl::bench {
namespace {

// KEYS 1 lock, 2 channel; ARGV 1 holder, 2 notice. Reply: 1 if it was held.
constexpr std::string_view publish_release = R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', KEYS[2], ARGV[2])
return 1
)";

}  // namespace

publish_lock::publish_lock(const std::string& url, std::string_view name, std::string_view holder)
    : raw_lock{url}
{
    acquire_ = request({"SET", name, holder, "NX", "PX", lease_ms});
    const std::string channel = "released:" + std::string{name};
    release_ = request({"EVALSHA", commands_.load(publish_release), "2", name, channel, holder,
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

hand_off_lock::hand_off_lock(const std::string& url, std::string_view name, std::string_view holder)
    : raw_lock{url}
{
    const std::string queue = "queue:" + std::string{name};
    acquire_ =
        request({"EVALSHA", commands_.load(hand_off_acquire), "2", name, queue, holder, lease_ms});
    release_ = request({"EVALSHA", commands_.load(hand_off_release()), "2", name, queue, holder,
                        lease_ms, raw_connection::notice});
    messages_.subscribe(holder);
}

}  // namespace pawl::bench
