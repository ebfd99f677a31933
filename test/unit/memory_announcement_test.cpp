// The announcement of a release, as a subscriber of a memory server hears it.
#include "unit/memory_fixture.h"

#include "redis/resp.h"
#include "store/memory/servers.h"

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace pawl::test {
namespace {

namespace memory = store::memory;

class memory_announcement : public with_memory {
protected:
    memory_announcement()
    {
        const auto who = engine_->join();
        engine_->on_message(who, [this](std::string_view push) { heard_ = push; });
        const auto subscribe = std::make_shared<memory::request>();
        subscribe->from = who;
        subscribe->connected = true;
        redis::append_request(subscribe->bytes,
                              std::array<std::string_view, 2>{"SUBSCRIBE", "lock:release:job"});
        engine_->send(subscribe);
    }

    // The time in the last announcement.
    [[nodiscard]] std::chrono::milliseconds release_time() const
    {
        constexpr std::string_view before = "\"releaseTime\":";
        return std::chrono::milliseconds{
            std::stoll(heard_.substr(heard_.find(before) + before.size()))};
    }

    std::string heard_;
    std::shared_ptr<memory::server> engine_ =
        memory::server_named(server_.url().substr(std::string_view{"memory:"}.size()));
};

TEST_F(memory_announcement, has_the_time_of_the_test)
{
    mutex_.acquire().release();
    const auto first = release_time();
    server_.advance(1h);
    mutex_.acquire().release();
    EXPECT_GE(release_time(), first + 1h);
    EXPECT_LT(release_time(), first + 2h);
}

}  // namespace
}  // namespace pawl::test
