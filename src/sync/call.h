// A machine that waits for something that happens in this process too.
#pragma once

#include "core/machine.h"
#include "sync/bell.h"

#include <memory>

namespace pawl::sync {

class call : public core::machine {
public:
    // While a step waits: rings when on_time() has something to look at. nullptr if nothing will ring.
    [[nodiscard]] virtual std::shared_ptr<bell> woken_by() const = 0;
};

}  // namespace pawl::sync
