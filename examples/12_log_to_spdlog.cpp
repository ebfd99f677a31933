// The log of a client, written by spdlog, with the fields of each record. Other loggers need as many lines.
//
//   12_log_to_spdlog [URL]
//
// It takes a lock with a heartbeat and never gives a sign of life, so the lock is lost, and the log says so.
#include <pawl/pawl.h>

#include <spdlog/spdlog.h>

#include "services.h"

#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

namespace {

using namespace std::chrono_literals;

spdlog::level::level_enum level_of(pawl::log_level level)
{
    switch (level) {
    case pawl::log_level::debug: return spdlog::level::debug;
    case pawl::log_level::info: return spdlog::level::info;
    case pawl::log_level::warning: return spdlog::level::warn;
    case pawl::log_level::error: return spdlog::level::err;
    }
    return spdlog::level::info;
}

void write(const pawl::log_record& one)
{
    std::string fields;
    for (const auto& each : one.fields) {
        fields.append(" ").append(each.key).append("=").append(each.value);
    }
    spdlog::log(level_of(one.level), "{}: {}{}", one.name, one.text, fields);
    if (one.left_out > 0) spdlog::warn("{}: {} more were left out", one.name, one.left_out);
}

// Without a sign of life from its holder for half a second, this lock is not renewed any more.
constexpr pawl::lock_options strict{.lease = 1s, .heartbeat = 500ms};

void lose_a_lock(const std::string& url)
{
    pawl::client_options options;
    options.url = url;
    options.log = write;
    pawl::client client{options};
    pawl::mutex lock{client, "example:" + std::to_string(::getpid()), strict};
    const pawl::hold held = lock.acquire();
    while (!held.lost().stop_requested()) std::this_thread::sleep_for(10ms);
    example::say("=> the lock is lost: " + std::string{pawl::to_string(held.why())});
}

}  // namespace

int main(int argc, char** argv)
try {
    lose_a_lock(example::url_from(argc, argv));
    return EXIT_SUCCESS;
} catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return EXIT_FAILURE;
}
