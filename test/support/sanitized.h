// Whether this program runs under a sanitizer, and so several times slower.
#pragma once

namespace pawl::test {

#if defined(__has_feature)
#define PAWL_HAS_FEATURE(name) __has_feature(name)
#else
#define PAWL_HAS_FEATURE(name) 0  // g++ has macros instead
#endif

#if defined(__SANITIZE_ADDRESS__) || PAWL_HAS_FEATURE(address_sanitizer)
inline constexpr bool address_sanitized = true;
#else
inline constexpr bool address_sanitized = false;
#endif

#if defined(__SANITIZE_THREAD__) || PAWL_HAS_FEATURE(thread_sanitizer)
inline constexpr bool thread_sanitized = true;
#else
inline constexpr bool thread_sanitized = false;
#endif

#undef PAWL_HAS_FEATURE

inline constexpr bool sanitized = address_sanitized || thread_sanitized;

}  // namespace pawl::test
