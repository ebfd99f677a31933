#!lua flags=allow-oom
-- Gives a lock back, however often it is held, if it is still its holder's: to the first waiter, if there
-- is one. A waiter that does not hold the lock leaves the queue.
--
-- KEYS  1 lock, 2 fence, 3 queue
-- ARGV  1 holder, 2 its last fence, or '0' if that is not known; then, if they are needed:
--       3 the announcement, or '', 4 anything if numbers above that fence are reserved
-- Reply 1 released; 0 the lock is gone; -1 another one holds it

local who = HOLDER()
if who ~= ARGV[1] then
--@ leave_queue
  return who and -1 or 0
end

local first, reserved = FIRST(), ARGV[4]
if not first and not reserved then
  LEAVE()
  ANNOUNCE()
  return 1
end

--@ clock
--@ give_back
return 1
