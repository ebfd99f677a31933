#!lua flags=allow-oom
-- Gives a lock to the first who waits for it; if nobody does, the holder's client keeps it, to pass
-- it on by itself.
--
-- KEYS  1 lock, 2 fence, 3 queue, 4 waiters
-- ARGV  1 holder,
--       2 the sum of 1 to announce it if it is handed over, 2 if name and holder are not fit for
--         JSON as they are,
--       3 the holder's last fence, 4 lease in ms, 5 and 6 name and holder in JSON, or nothing,
--       7 how many numbers above the fence to reserve, 8 the last number that was reserved so far
-- Reply {1, fence, time} kept, with a new fence; {2, 0, time} handed over;
--       {0, 0, time} the lock is gone; {-1, 0, time} another holds it;
--       {-2, 0, time} another such request came first
--
-- The holder stays the same when his client passes the lock on, so a request that was delayed on
-- its way must not be executed then: it would hand over what is held again. Each can be executed
-- once, for it changes the number by which it is known, by more than it sets aside. Bare acquires by
-- others, who find the lock taken, change it by one each.

--@ clock
--@ layout
--@ fence
--@ hand_over

if HOLDER() ~= ARGV[1] then
  return {-redis.call('EXISTS', KEYS[1]), 0, now}
end
local last = last_fence()
local skipped = last - ARGV[8]
if skipped < 0 or skipped > tonumber(ARGV[7]) then
  return {-2, 0, now}
end
local left = redis.call('PTTL', KEYS[1])
if hand_over(redis.call('ZPOPMIN', KEYS[3]), tonumber(ARGV[3])) then
  local flags = ARGV[2] + 0
  if flags % 2 == 1 then
--@ announce
  end
  return {2, 0, now}
end
local fence = next_fence(last, ARGV[7])
write(ARGV[1], math.max(left, ARGV[4]))
return {1, fence, now}
