#include "say.h"

#include "hide_password.h"

#include <sys/uio.h>
#include <unistd.h>

#include <array>

namespace pawl::cli {
namespace {

// iovec has a pointer to non-const, but writev does not change the text.
[[nodiscard]] iovec piece(std::string_view text) noexcept
{
    return {const_cast<char*>(text.data()), text.size()};
}

}  // namespace

void say(std::string_view text) noexcept
{
    const std::array<iovec, 3> line{piece("pawl: "), piece(text), piece("\n")};
    // If stderr is closed, the message is dropped.
    [[maybe_unused]] const auto written =
        ::writev(STDERR_FILENO, line.data(), static_cast<int>(line.size()));
}

std::string in_quotes(std::string_view text)
{
    std::string result = "'";
    for (const char c : without_passwords(text)) {
        const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
        result += control ? '?' : c;
    }
    return result + "'";
}

}  // namespace pawl::cli
