#!lua flags=allow-oom
-- A waiter at a gate waits no more.
--
-- KEYS  1 gate, 2 fence (not used), 3 queue
-- ARGV  1 waiter
-- Reply 1
--@ leave_queue
return 1
