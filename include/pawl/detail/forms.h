// For members whose code is in <pawl/asio.h>. Not for users.
//
// Such a member first checks whether that header was included. If not, the compiler's message names
// the header, instead of "use of auto before deduction of auto".
#pragma once

#include <pawl/export.h>

namespace pawl::detail {

template <class CompletionToken>
struct asio_forms;  // defined in <pawl/asio.h>

template <class Forms>
concept is_defined = requires { sizeof(Forms); };

template <class CompletionToken>
[[nodiscard]] consteval bool has_asio()
{
    constexpr bool included = is_defined<asio_forms<CompletionToken>>;
    static_assert(
        included,
        "async_acquire and other calls with a completion token need #include <pawl/asio.h>");
    return included;
}

}  // namespace pawl::detail
