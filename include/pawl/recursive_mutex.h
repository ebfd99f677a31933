// pawl::recursive_mutex: a pawl::mutex that its thread can acquire again while it holds it. That is
// a re-entry, and gives one more hold of the same grant.
//
// A re-entry costs one round trip: the server counts it and renews the lease. The lock is free when
// all holds of the grant are released. The holds share the id and the fence of the grant. They may
// be released in any order and by any thread.
//
// Only the thread that acquired the lock first can enter again, through the same recursive_mutex
// object. Moving a hold to another thread does not change that. Asynchronous calls never enter
// again. At most 255 re-entries are allowed; the next one fails with `bad_argument`. Once the grant
// is lost, a re-entry fails with `lost` until all holds of the grant are released or destroyed.
//
// <pawl/lockable.h> documents the functions.
#pragma once

#include <pawl/lockable.h>

namespace pawl {

class PAWL_EXPORT recursive_mutex : public lockable {
public:
    // Checks the name (1 to 512 bytes, any except NUL) and the options. No round trip. Throws
    // pawl::error (bad_argument).
    recursive_mutex(client& client, std::string_view name, const lock_options& options = {});
    ~recursive_mutex();
};

}  // namespace pawl
