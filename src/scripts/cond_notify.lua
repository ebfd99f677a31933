#!lua flags=allow-oom
-- Notifies waiters of a condition: they move to the queue of the lock. If the lock is free, the first one gets it.
--
-- KEYS  1 lock, 2 fence, 3 queue, 4 condition
-- ARGV  1 how many at most
-- Reply 1
--
-- When it is executed again, it wakes others. A waiter may wake for no reason, but must not sleep for ever.

--@ clock
local who, most, woken = HOLDER(), tonumber(ARGV[1]), 0
--@ wake
--@ offer
return 1
