// The store of a client, until the client is closed. A call that runs at that moment keeps the store.
#pragma once

#include "common/mutex.h"
#include "store/store.h"

#include <memory>
#include <utility>

namespace pawl::sync {

class store_slot {
public:
    explicit store_slot(std::shared_ptr<store::store> store) : store_{std::move(store)} {}

    // nullptr if it is closed.
    [[nodiscard]] std::shared_ptr<store::store> get() const
    {
        const common::scoped_lock guard{mutex_};
        return store_;
    }

    // The store is destroyed here, unless a call still uses it.
    void close()
    {
        std::shared_ptr<store::store> gone;  // destroyed after the mutex is free
        const common::scoped_lock guard{mutex_};
        gone.swap(store_);
    }

private:
    mutable common::mutex mutex_;
    std::shared_ptr<store::store> store_ PAWL_GUARDED_BY(mutex_);
};

}  // namespace pawl::sync
