// A machine that waits for something that happens in this process too. Only such a machine can be
// cancelled by its caller.
#pragma once

#include "core/machine.h"
#include "sync/bell.h"

#include <memory>

namespace pawl::sync {

class call : public core::machine {
public:
    // Before start(), by the driver.
    void use(bell_source& bells) noexcept { bells_ = &bells; }

protected:
    // When it rings during a pause or a wait, the driver calls on_time().
    [[nodiscard]] std::weak_ptr<bell> new_bell() { return bells_->new_bell(); }

private:
    bell_source* bells_ = nullptr;
};

}  // namespace pawl::sync
