// Annotations for clang's thread-safety analysis (-Wthread-safety). They tell the compiler which
// mutex guards which data, and clang refuses code that does not hold it. Other compilers ignore
// them.
//
//   common::mutex mutex_;
//   int count_ PAWL_GUARDED_BY(mutex_) = 0;      only touched while mutex_ is held
//   void add() PAWL_REQUIRES(mutex_);            the caller holds mutex_
//   void clear() PAWL_EXCLUDES(mutex_);          the caller does not hold mutex_: clear() locks it
//
// The analysis looks at one function at a time. It does not look into constructors and destructors.
// A lambda is a function of its own: it is annotated like any other, behind its parameters.
#pragma once

#ifdef __clang__
#define PAWL_THREAD_ANNOTATION(what) __attribute__((what))
#else
#define PAWL_THREAD_ANNOTATION(what)
#endif

#define PAWL_GUARDED_BY(mutex) PAWL_THREAD_ANNOTATION(guarded_by(mutex))
#define PAWL_REQUIRES(...) PAWL_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define PAWL_EXCLUDES(...) PAWL_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))

// From here on the mutex counts as held, for what the analysis cannot see.
#define PAWL_ASSERTS_HELD(mutex) PAWL_THREAD_ANNOTATION(assert_capability(mutex))

// For the types in common/mutex.h.
#define PAWL_CAPABILITY(name) PAWL_THREAD_ANNOTATION(capability(name))
#define PAWL_SCOPED_CAPABILITY PAWL_THREAD_ANNOTATION(scoped_lockable)
#define PAWL_ACQUIRE(...) PAWL_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define PAWL_TRY_ACQUIRE(...) PAWL_THREAD_ANNOTATION(try_acquire_capability(__VA_ARGS__))
#define PAWL_RELEASE(...) PAWL_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
