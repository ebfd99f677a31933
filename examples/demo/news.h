// The messages of the workers to the process that shows them, through a pipe.
//
// A worker that holds the lock reports it before it releases it. So if the lock works, messages of
// two holders never mix, and the reader checks that.
#pragma once

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <optional>
#include <poll.h>
#include <system_error>
#include <type_traits>
#include <unistd.h>

namespace demo {

enum class step : std::uint8_t {
    waits,   // for the lock
    inside,  // has the lock, if there is one, and has read the counter
    wrote,   // has written the counter
};

struct news {
    int worker{};
    step what{};
    long value{};           // the counter, as read or written
    std::uint64_t fence{};  // 0 without a lock
};
static_assert(std::is_trivially_copyable_v<news>);

class news_pipe {
public:
    news_pipe()
    {
        if (::pipe(ends_.data()) != 0) fail("pipe");
    }

    ~news_pipe()
    {
        ::close(ends_[0]);
        stop_writing();
    }

    news_pipe(const news_pipe&) = delete;
    news_pipe& operator=(const news_pipe&) = delete;

    // A message of this size is written as a whole or not at all.
    void tell(const news& message) const
    {
        if (::write(ends_[1], &message, sizeof message) != sizeof message) fail("write to a pipe");
    }

    // For the reader, after its workers are started: otherwise it would not see their end.
    void stop_writing() noexcept
    {
        if (ends_[1] >= 0) ::close(ends_[1]);
        ends_[1] = -1;
    }

    // The next message, or nothing if none came within the limit or none can come any more.
    [[nodiscard]] std::optional<news> next(std::chrono::milliseconds limit)
    {
        pollfd end{.fd = ends_[0], .events = POLLIN, .revents = 0};
        const int ready = ::poll(&end, 1, static_cast<int>(limit.count()));
        if (ready < 0 && errno != EINTR) fail("poll");
        if (ready <= 0) return std::nullopt;
        news message;
        const ssize_t length = ::read(ends_[0], &message, sizeof message);
        if (length < 0 && errno != EINTR) fail("read from a pipe");
        ended_ = length == 0;
        if (length != sizeof message) return std::nullopt;
        return message;
    }

    // Whether all workers have ended and everything was read.
    [[nodiscard]] bool ended() const noexcept { return ended_; }

private:
    [[noreturn]] static void fail(const char* what)
    {
        throw std::system_error{errno, std::generic_category(), what};
    }

    std::array<int, 2> ends_{-1, -1};
    bool ended_ = false;
};

}  // namespace demo
