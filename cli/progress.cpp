#include "progress.h"

namespace pawl::cli {
namespace {

constexpr const char* start_anew = "\r\033[K";

void write_to_stderr(const std::string& text) noexcept
{
    // If stderr is closed, the message is dropped.
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

void progress::show(const std::string& text)
{
    if (!works_) return;
    // A line that wraps could not be overwritten.
    write_to_stderr(start_anew + text.substr(0, columns_of(STDERR_FILENO) - 1));
    shown_ = true;
}

void progress::clear()
{
    if (shown_) write_to_stderr(start_anew);
    shown_ = false;
}

}  // namespace pawl::cli
