#include "gate.h"

#include "raw_connection.h"

#include <pawl/client.h>
#include <pawl/latch.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace pawl::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto longest_wait = 10s;

[[noreturn]] void fail_to_open()
{
    throw std::runtime_error{"a latch did not open for 10 s"};
}

class pawl_gate final : public gate {
public:
    explicit pawl_gate(const std::string& url) : client_{url} {}

    void wait(std::uint64_t release) override
    {
        if (!latch{client_, name(release), 1}.wait_for(longest_wait)) fail_to_open();
    }

    void open(std::uint64_t release) override { latch{client_, name(release), 1}.count_down(); }

private:
    static std::string name(std::uint64_t release) { return "latch:" + std::to_string(release); }

    client client_;
};

// One message for each process. A thread of its own hears it and wakes the others.
class raw_gate final : public gate {
public:
    explicit raw_gate(const std::string& url) : commands_{url}, messages_{url}
    {
        script_ = commands_.load(count_down);
        messages_.subscribe(channel);
        listener_ = std::jthread{[this](const std::stop_token& stop) { listen(stop); }};
    }

    void wait(std::uint64_t release) override
    {
        std::unique_lock lock{mutex_};
        if (!changed_.wait_for(lock, longest_wait, [&] { return opened_ >= release; })) {
            fail_to_open();
        }
    }

    void open(std::uint64_t release) override
    {
        const std::string left = "latch:" + std::to_string(release);
        if (commands_.ask(request(
                {"EVALSHA", script_, "2", left, channel, "1", raw_connection::notice})) != ":0") {
            throw std::runtime_error{"the latch was counted down before"};
        }
    }

private:
    // KEYS 1 count, 2 channel; ARGV 1 expected, 2 notice. Reply: how many are missing.
    static constexpr std::string_view count_down = R"(
local left = ARGV[1] - redis.call('INCR', KEYS[1])
redis.call('PEXPIRE', KEYS[1], 86400000)
if left == 0 then redis.call('PUBLISH', KEYS[2], ARGV[2]) end
return left
)";
    static constexpr std::string_view channel = "opened";

    void listen(const std::stop_token& stop)
    {
        constexpr int lines_of_message = 7;  // three strings, each after its size
        while (!stop.stop_requested()) {
            if (!messages_.line_within(50ms)) continue;  // so that a stop request is seen
            for (int i = 1; i < lines_of_message; ++i) (void)messages_.read_line();
            const std::scoped_lock guard{mutex_};
            ++opened_;
            changed_.notify_all();
        }
    }

    raw_connection commands_;
    raw_connection messages_;
    std::string script_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t opened_ = 0;
    // Last, so that it ends first.
    std::jthread listener_;
};

}  // namespace

std::unique_ptr<gate> make_gate(contender kind, const std::string& url)
{
    if (kind == contender::latch) return std::make_unique<pawl_gate>(url);
    if (kind == contender::raw_latch) return std::make_unique<raw_gate>(url);
    throw std::logic_error{"this kind is not a latch"};
}

}  // namespace pawl::bench
