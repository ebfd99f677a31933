#include "base/random.h"

#include "base/forked.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <random>
#include <span>
#include <system_error>

namespace pawl::base {
namespace {

void fill_from_system(std::span<unsigned char> bytes)
{
    while (!bytes.empty()) {
        const auto got = ::getrandom(bytes.data(), bytes.size(), 0);
        if (got > 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(got));
        } else if (errno != EINTR) {
            throw std::system_error{errno, std::system_category(), "getrandom"};
        }
    }
}

// For use by one thread. It reads many bytes at once, because a system call for each id would cost
// more than the rest. No byte is used twice, or kept after it was used.
class random_bytes {
public:
    template <std::size_t Size>
    [[nodiscard]] std::array<unsigned char, Size> take()
    {
        // A child process has a copy of its parent's bytes, and must not use them.
        if (bytes_.size() - used_ < Size || mark_ != process_mark()) {
            used_ = bytes_.size();
            fill_from_system(bytes_);
            mark_ = process_mark();
            used_ = 0;
        }
        std::array<unsigned char, Size> taken{};
        const auto from = std::span{bytes_}.subspan(used_, Size);
        std::ranges::copy(from, taken.begin());
        std::ranges::fill(from, 0);
        used_ += Size;
        return taken;
    }

private:
    std::array<unsigned char, 512> bytes_{};
    std::size_t used_ = bytes_.size();
    unsigned mark_ = 0;
};

}  // namespace

std::string random_id()
{
    thread_local random_bytes source;
    const auto bytes = source.take<16>();
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const auto byte : bytes) {
        text += digits[byte >> 4U];
        text += digits[byte & 0xFU];
    }
    return text;
}

double system_random_unit()
{
    thread_local std::minstd_rand engine{std::random_device{}()};
    return std::generate_canonical<double, 31>(engine);
}

}  // namespace pawl::base
