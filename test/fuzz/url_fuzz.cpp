// Any text as a URL: it is accepted, or refused with a message. The password is neither in that
// message nor in the address that is shown.
#include "redis/deployment.h"

#include <pawl/error.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

// Long enough not to occur in a message by chance.
constexpr std::string_view secret = "s3cr3tPassw0rd";

void require(bool good)
{
    if (!good) std::abort();
}

// The text about a URL: the address that is shown, or why it is refused.
std::string said_of(const std::string& url)
{
    pawl::client_options options;
    options.url = url;
    try {
        return pawl::redis::read_deployment(options).shown;
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
    // In another place of the URL it is not a password.
    if (text.find(secret) == std::string::npos) {
        for (const std::string_view scheme :
             {"redis://", "redis+sentinel://", "redis+cluster://", "redlock:redis://"}) {
            const auto said =
                said_of(std::string{scheme} + "ann:" + std::string{secret} + "@" + text);
            require(said.find(secret) == std::string::npos);
        }
    }
    return 0;
}
