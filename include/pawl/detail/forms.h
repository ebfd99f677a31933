// For members whose code is in another header, <pawl/asio.h> or <pawl/coro.h>. Not for users.
//
// Such a member first checks whether that header was included. If not, the compiler's message names
// the header, instead of "use of auto before deduction of auto".
#pragma once

#include <pawl/export.h>

namespace pawl::coro {

// The coroutine continues on the client's own thread.
struct on_client_thread {};

}  // namespace pawl::coro

namespace pawl::detail {

template <class CompletionToken>
struct asio_forms;  // defined in <pawl/asio.h>

template <class ResumeOn>
struct coro_forms;  // defined in <pawl/coro.h>

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

template <class ResumeOn>
[[nodiscard]] consteval bool has_coro()
{
    constexpr bool included = is_defined<coro_forms<ResumeOn>>;
    static_assert(included,
                  "acquire_async and other calls for co_await need #include <pawl/coro.h>");
    return included;
}

}  // namespace pawl::detail
