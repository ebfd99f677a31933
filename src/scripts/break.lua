#!lua flags=allow-oom
-- Ends a hold, however often the lock is held, because an operator says so. The lock goes to the first waiter, if there
-- is one, as after a release. Only the holder that is named loses it. Unlike a release, this removes nobody from the
-- queue.
--
-- KEYS  1 lock, 2 fence, 3 queue
-- ARGV  1 holder, 2 '0', 3 the announcement, or '', 4 the digits of the holder's client, or '', 5 the reason
-- Reply 1 broken; 0 the lock is gone; -1 another one holds it

local who = HOLDER()
if who ~= ARGV[1] then
  return who and -1 or 0
end

local first, reserved = FIRST(), nil
--@ clock
--@ give_back
TELL_ROBBED()
return 1
