// The request that a step of acquire_machine sends.
#pragma once

#include "core/machine.h"

#include <variant>

namespace pawl::test {

[[nodiscard]] inline core::acquire_request sent(const core::step& step)
{
    return std::get<core::acquire_request>(step.request);
}

}  // namespace pawl::test
