// Whether this program runs under a sanitizer, and so several times slower.
#pragma once

#if defined(__has_feature)
#define PAWL_HAS_FEATURE(name) __has_feature(name)
#else
#define PAWL_HAS_FEATURE(name) 0  // g++ has macros instead
#endif

// The macros are for tests that do not exist under a sanitizer. A test that is skipped would look
// as if it had passed.
#if defined(__SANITIZE_ADDRESS__) || PAWL_HAS_FEATURE(address_sanitizer)
#define PAWL_ADDRESS_SANITIZED 1
#else
#define PAWL_ADDRESS_SANITIZED 0
#endif

#if defined(__SANITIZE_THREAD__) || PAWL_HAS_FEATURE(thread_sanitizer)
#define PAWL_THREAD_SANITIZED 1
#else
#define PAWL_THREAD_SANITIZED 0
#endif

#undef PAWL_HAS_FEATURE

#define PAWL_SANITIZED (PAWL_ADDRESS_SANITIZED || PAWL_THREAD_SANITIZED)

namespace pawl::test {

inline constexpr bool sanitized = PAWL_SANITIZED;

}  // namespace pawl::test
