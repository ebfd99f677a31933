// The commands for ranges of a sorted set.
#pragma once

#include "store/memory/command.h"

namespace pawl::store::memory {

void zrange(call& what);
void zrangebyscore(call& what);
void zremrangebyscore(call& what);
void zpopmin(call& what);

}  // namespace pawl::store::memory
