#include "retry_lock.h"

#include "nodes.h"
#include "raw_lock.h"

#include <chrono>
#include <stdexcept>
#include <thread>
#include <unistd.h>

namespace pawl::bench {

using namespace std::chrono_literals;

retry_lock::retry_lock(const std::string& url, std::string_view name, std::string_view holder)
    : acquire_{request({"SET", name, holder, "NX", "PX", lease_ms})},
      random_{static_cast<std::minstd_rand::result_type>(::getpid())}
{
    std::string script;
    for (const std::string& each : node_urls(url)) {
        nodes_.push_back(std::make_unique<raw_connection>(each));
        script = nodes_.back()->load(check_and_delete);
    }
    release_ = request({"EVALSHA", script, "1", name, holder});
}

std::size_t retry_lock::ask_all(const std::string& request, std::string_view wanted)
{
    for (const auto& each : nodes_) each->send(request);
    std::size_t count = 0;
    for (const auto& each : nodes_) {
        if (each->read_line() == wanted) ++count;
    }
    return count;
}

void retry_lock::acquire()
{
    constexpr auto longest_wait = 5s;
    std::uniform_int_distribution<int> pause_us{0, 5'000};
    const auto end = std::chrono::steady_clock::now() + longest_wait;
    while (ask_all(acquire_, "+OK") < majority_of(nodes_.size())) {
        (void)ask_all(release_, ":1");
        if (std::chrono::steady_clock::now() > end) {
            throw std::runtime_error{"waited for 5 s without getting the lock"};
        }
        std::this_thread::sleep_for(std::chrono::microseconds{pause_us(random_)});
    }
}

void retry_lock::release()
{
    if (ask_all(release_, ":1") < majority_of(nodes_.size())) {
        throw std::runtime_error{"the lock was not held"};
    }
}

}  // namespace pawl::bench
