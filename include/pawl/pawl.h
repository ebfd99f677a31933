// Includes all public headers except two: <pawl/testing.h> is for tests of programs that use pawl,
// and <pawl/asio.h> needs Boost.
#pragma once

#include <pawl/acquirable.h>
#include <pawl/async.h>
#include <pawl/barrier.h>
#include <pawl/client.h>
#include <pawl/condition_variable.h>
#include <pawl/coro.h>
#include <pawl/counting_semaphore.h>
#include <pawl/doctor.h>
#include <pawl/error.h>
#include <pawl/event.h>
#include <pawl/fair_mutex.h>
#include <pawl/futures.h>
#include <pawl/hold.h>
#include <pawl/inspect.h>
#include <pawl/latch.h>
#include <pawl/leader.h>
#include <pawl/local_server.h>
#include <pawl/lock_set.h>
#include <pawl/lockable.h>
#include <pawl/log.h>
#include <pawl/metrics.h>
#include <pawl/mutex.h>
#include <pawl/once_per.h>
#include <pawl/options.h>
#include <pawl/recursive_mutex.h>
#include <pawl/shared_mutex.h>
#include <pawl/stateless.h>
#include <pawl/striped_mutex.h>
#include <pawl/time_limit.h>
#include <pawl/version.h>
#include <pawl/waitable.h>
