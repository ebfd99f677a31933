#include "monitor.h"

#include "raw_connection.h"
#include "raw_lock.h"

#include <pawl/client.h>
#include <pawl/condition_variable.h>
#include <pawl/mutex.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>

namespace pawl::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto longest_wait = 5s;

class pawl_monitor final : public monitor {
public:
    pawl_monitor(const std::string& url, std::string_view name)
        : client_{url}, mutex_{client_, name}, changed_{mutex_, "changed"}
    {
    }

    void lock() override { lock_.lock(); }
    void unlock() override { lock_.unlock(); }

    void wait() override
    {
        if (changed_.wait_for(lock_, longest_wait) == std::cv_status::timeout) {
            throw std::runtime_error{"waited for 5 s without a notification"};
        }
    }

    void notify() override { changed_.notify_one(); }

private:
    client client_;
    mutex mutex_;
    condition_variable changed_;
    std::unique_lock<mutex> lock_{mutex_, std::defer_lock};
};

// ── The least, on raw sockets ───────────────────────────────────────────────────────────────────
// All scripts have KEYS 1 lock, 2 its queue, 3 the condition; ARGV 1 holder, 2 lease in ms, 3
// notice. A holder is also the channel on which it is told. They reply 1 if it is done.

// Takes a place in the condition before the lock is given back.
constexpr std::string_view join = "redis.call('RPUSH', KEYS[3], ARGV[1])";

// Moves the first waiter from the condition to the queue of the lock, which is held.
constexpr std::string_view wake = R"(
local first = redis.call('LPOP', KEYS[3])
if first then redis.call('RPUSH', KEYS[2], first) end
return 1
)";

class raw_monitor final : public monitor {
public:
    raw_monitor(const std::string& url, std::string_view name, std::string_view holder)
        : commands_{url},
          messages_{url},
          enter_{prepare(hand_off_acquire, name, holder)},
          leave_{prepare(hand_off_release(), name, holder)},
          wait_{prepare(hand_off_release(join), name, holder)},
          wake_{prepare(wake, name, holder)}
    {
        messages_.subscribe(holder);
    }

    void lock() override
    {
        if (commands_.ask(enter_) != ":1") messages_.await_message();
    }

    void unlock() override { expect_held(commands_, leave_); }

    void wait() override
    {
        expect_held(commands_, wait_);
        messages_.await_message();
    }

    void notify() override { expect_held(commands_, wake_); }

private:
    std::string prepare(std::string_view script, std::string_view name, std::string_view holder)
    {
        const std::string queue = "queue:" + std::string{name};
        const std::string condition = "condition:" + std::string{name};
        return request({"EVALSHA", commands_.load(script), "3", name, queue, condition, holder,
                        lease_ms, raw_connection::notice});
    }

    raw_connection commands_;
    raw_connection messages_;
    std::string enter_;
    std::string leave_;
    std::string wait_;
    std::string wake_;
};

}  // namespace

std::unique_ptr<monitor> make_monitor(contender kind, const std::string& url, std::string_view name,
                                      std::string_view holder)
{
    if (kind == contender::condition) return std::make_unique<pawl_monitor>(url, name);
    if (kind == contender::raw_condition) return std::make_unique<raw_monitor>(url, name, holder);
    throw std::logic_error{"this kind is not a condition"};
}

}  // namespace pawl::bench
