#include "base/random.h"

#include <sys/random.h>

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

}  // namespace

std::string random_id()
{
    std::array<unsigned char, 16> bytes{};
    fill_from_system(bytes);
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
