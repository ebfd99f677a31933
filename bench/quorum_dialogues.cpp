#include "quorum_dialogues.h"

#include "async_calls.h"
#include "cycle_dialogues.h"
#include "nodes.h"
#include "recorder.h"

#include <pawl/client.h>
#include <pawl/hold.h>
#include <pawl/mutex.h>

#include <array>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>

namespace pawl::bench {
namespace {

using namespace std::chrono_literals;

void check(std::error_code ec, const char* what)
{
    if (ec) throw std::system_error{ec, what};
}

// A lock, acquired and released in separate calls.
class user {
public:
    user(client& own, std::string_view name, calls how) : lock_{own, name}, how_{how} {}

    void acquire()
    {
        if (how_ == calls::blocking) return lock_.lock();
        const auto ended = std::make_shared<std::promise<std::error_code>>();
        acquire_then(lock_, time_limit::never(), [this, ended](hold got, std::error_code ec) {
            held_ = std::move(got);
            ended->set_value(ec);
        });
        check(ended->get_future().get(), "acquire");
    }

    void release()
    {
        std::error_code ec;
        if (how_ == calls::blocking) {
            lock_.unlock(ec);
        } else {
            const auto ended = std::make_shared<std::promise<std::error_code>>();
            release_then(std::move(held_), [ended](std::error_code got) { ended->set_value(got); });
            ec = ended->get_future().get();
        }
        check(ec, "release");
    }

private:
    mutex lock_;
    calls how_;
    hold held_;
};

// A proxy in front of each node.
class recorders {
public:
    explicit recorders(const std::vector<std::string>& nodes)
    {
        for (const std::string& each : nodes) all_.push_back(std::make_unique<recorder>(each));
    }

    [[nodiscard]] std::string url() const
    {
        std::vector<std::string> urls;
        for (const auto& each : all_) urls.push_back(each->url());
        return url_of(urls);
    }

    // Acquires and releases the lock. Each request is answered by all nodes before the next one: the calls return with
    // the answers of a majority, and a node that has not answered yet gets another release.
    [[nodiscard]] std::vector<std::vector<exchange>> record(user& lock)
    {
        lock.acquire();
        await_answers(1);
        lock.release();
        await_answers(2);
        std::vector<std::vector<exchange>> taken;
        for (const auto& each : all_) taken.push_back(each->take());
        return taken;
    }

private:
    void await_answers(std::size_t exchanges) const
    {
        const auto end = std::chrono::steady_clock::now() + 5s;
        for (const auto& each : all_) {
            while (!each->has_answered(exchanges)) {
                if (std::chrono::steady_clock::now() > end) {
                    throw std::runtime_error{"a node of the quorum did not answer for 5 s"};
                }
                std::this_thread::sleep_for(100us);
            }
        }
        // Recorded answers have yet to reach the client. If this is too short, the recordings differ, and are made
        // again.
        std::this_thread::sleep_for(3ms);
    }

    std::vector<std::unique_ptr<recorder>> all_;
};

std::vector<dialogue> learn_once(const std::vector<std::string>& nodes, calls how)
{
    // All names have the same length, so that recordings differ only in their contents.
    constexpr std::array<std::string_view, 3> names{"heard-a", "heard-b", "heard-c"};
    constexpr int uses_before = 10;  // a new client, or a new lock, may send more at first
    recorders proxies{nodes};
    client client{proxies.url()};
    std::vector<std::vector<recording>> of_node(nodes.size());
    for (const std::string_view each : names) {
        user lock{client, each, how};
        for (int i = 0; i < uses_before; ++i) (void)proxies.record(lock);
        const std::int64_t now = milliseconds_since_epoch();
        auto taken = proxies.record(lock);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            of_node[i].push_back(
                {.name = std::string{each}, .at_ms = now, .exchanges = std::move(taken[i])});
        }
    }
    std::vector<dialogue> learned;
    for (const auto& each : of_node) learned.push_back(learn(each));
    return learned;
}

}  // namespace

std::vector<dialogue> quorum_dialogues_of_pawl(const std::vector<std::string>& nodes, calls how)
{
    constexpr int attempts = 5;
    for (int attempt = 1;; ++attempt) {
        try {
            return learn_once(nodes, how);
        } catch (const std::runtime_error&) {
            if (attempt == attempts) throw;
        }
    }
}

std::vector<dialogue> least_quorum_dialogues(const std::vector<std::string>& nodes)
{
    std::vector<dialogue> all;
    for (const std::string& each : nodes) all.push_back(least_dialogue(each));
    return all;
}

}  // namespace pawl::bench
