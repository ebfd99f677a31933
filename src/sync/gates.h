// The private classes of pawl::latch and pawl::barrier.
#pragma once

#include "sync/gate_arrivals.h"

#include <pawl/barrier.h>
#include <pawl/latch.h>

class pawl::latch::arrivals final : public sync::gate_arrivals {
public:
    using gate_arrivals::gate_arrivals;
};

class pawl::barrier::arrivals final : public sync::gate_arrivals {
public:
    using gate_arrivals::gate_arrivals;
};
