#include "screen.h"

#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace pawl::cli {

charset charset_of_locale() noexcept
{
    // Without setlocale(), because that would change the output of the whole process.
    const locale_t user = ::newlocale(LC_CTYPE_MASK, "", nullptr);
    if (user == nullptr) return charset::ascii;
    const bool utf8 = std::string_view{::nl_langinfo_l(CODESET, user)} == "UTF-8";
    ::freelocale(user);
    return utf8 ? charset::utf8 : charset::ascii;
}

bool is_terminal(int fd) noexcept
{
    return ::isatty(fd) == 1;
}

std::size_t columns_of(int fd) noexcept
{
    constexpr std::size_t usual = 80;
    winsize size{};
    return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual;
}

std::size_t lines_of(int fd) noexcept
{
    constexpr std::size_t usual = 24;
    winsize size{};
    return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : usual;
}

bool can_redraw(int fd) noexcept
{
    const char* kind = std::getenv("TERM");
    return is_terminal(fd) && kind != nullptr && std::string_view{kind} != "dumb";
}

}  // namespace pawl::cli
