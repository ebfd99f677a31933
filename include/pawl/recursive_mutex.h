// pawl::recursive_mutex: a pawl::mutex that the thread which holds it can acquire again. Each
// re-entry is counted on the server and renews the lease; the lock is free when as many holds were
// released as were acquired.
//
// Re-entries share the id and the fence of the first grant. Holds of one grant may be released in
// any order and by any thread; who may enter again is the thread that acquired first, wherever its
// holds have been moved since. At most 255 re-entries; the next one is a bad_argument. Once the grant
// is lost, re-entering fails with `lost` until all its holds are gone.
#pragma once

#include <pawl/lockable.h>

namespace pawl {

class PAWL_EXPORT recursive_mutex : public lockable {
public:
    recursive_mutex(client& client, std::string_view name, const lock_options& options = {});
    ~recursive_mutex();
};

}  // namespace pawl
