// pawl::mutex: a std::timed_mutex that spans processes and machines.
//
//   pawl::mutex stock{client, "stock:42"};
//   { std::scoped_lock guard{stock}; /* … */ }
//
// <pawl/lockable.h> documents its functions. If a thread calls lock() twice, the second call throws
// `would_deadlock`. A thread can lock a pawl::recursive_mutex again (<pawl/recursive_mutex.h>). A
// pawl::fair_mutex is granted in the order of arrival (<pawl/fair_mutex.h>).
#pragma once

#include <pawl/lockable.h>

namespace pawl {

class PAWL_EXPORT mutex : public lockable {
public:
    // Checks the name (1 to 512 bytes, any except NUL) and the options. No round trip. Throws
    // pawl::error (bad_argument).
    mutex(client& client, std::string_view name, const lock_options& options = {});
    ~mutex();
};

}  // namespace pawl
