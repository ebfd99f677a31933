// pawl::mutex: a std::timed_mutex that spans processes and machines.
//
//   pawl::mutex stock{client, "stock:42"};
//   { std::scoped_lock guard{stock}; /* … */ }
//
// Everything it can do is in <pawl/lockable.h>. A thread that locks it twice is told
// `would_deadlock`; see <pawl/recursive_mutex.h> for one that may, and <pawl/fair_mutex.h> for one
// that is granted in the order of arrival.
#pragma once

#include <pawl/lockable.h>

namespace pawl {

class PAWL_EXPORT mutex : public lockable {
public:
    mutex(client& client, std::string_view name, const lock_options& options = {});
    ~mutex();
};

}  // namespace pawl
