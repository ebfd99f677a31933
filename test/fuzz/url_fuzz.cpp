// Any text at all as a URL: it is taken or refused with a message, and the password stays out of
// both that message and the address that is shown.
#include "redis/url.h"

#include <pawl/error.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

// Long enough that it does not occur in a message by chance.
constexpr std::string_view secret = "s3cr3tPassw0rd";

void require(bool good)
{
    if (!good) std::abort();
}

// What is said of a URL: the address that is shown, or why it is refused.
std::string said_of(const std::string& url)
{
    pawl::client_options options;
    options.url = url;
    try {
        return pawl::redis::read_config(options).shown;
    } catch (const pawl::error& e) {
        require(e.code() == pawl::errc::bad_argument);
        return e.what();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string text{reinterpret_cast<const char*>(data), size};
    require(!said_of(text).empty());
    // Elsewhere than in its place it is not a password.
    if (text.find(secret) == std::string::npos) {
        const auto said = said_of("redis://ann:" + std::string{secret} + "@" + text);
        require(said.find(secret) == std::string::npos);
    }
    return 0;
}
