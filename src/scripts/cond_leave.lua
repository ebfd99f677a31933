#!lua flags=allow-oom
-- A waiter of a condition gives up, and wants the lock no more. If it is not in the condition, it was notified, and
-- the notification goes to the next waiter: it may be needed there. That also happens if this is executed again, or
-- if the waiter never joined. Then the next waiter wakes for no reason.
--
-- KEYS  1 lock, 2 fence, 3 queue, 4 condition
-- ARGV  1 waiter, 2 '0', 3 the announcement, or ''
-- Reply 1 it had the lock, and has released it; 0 the lock is free; -1 another one holds it

--@ clock
local who, most, woken = HOLDER(), 1, 0
local found = redis.call('LPOS', KEYS[4], ARGV[1])
if found then
--@ leave_condition
else
--@ wake
end
if who ~= ARGV[1] then
--@ leave_queue
  local held = who
--@ offer
  return held and -1 or 0
end
local first, reserved = FIRST(), nil
--@ give_back
return 1
