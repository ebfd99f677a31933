#include "base/require.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace pawl::base {
namespace {

// From src/ on: where the library was built says nothing to the reader.
const char* within_sources(const char* path)
{
    const auto start = std::string_view{path}.rfind("src/");
    return start == std::string_view::npos ? path : path + start;
}

}  // namespace

void end_with_internal_error(const char* what, const std::source_location& where) noexcept
{
    std::fprintf(
        stderr,
        "pawl: internal error: %s (%s:%u). This process ends, because its locks are not safe "
        "any more. This is a bug of pawl: please report it.\n",
        what, within_sources(where.file_name()), static_cast<unsigned>(where.line()));
    std::abort();
}

}  // namespace pawl::base
