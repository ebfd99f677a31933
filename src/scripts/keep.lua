#!lua flags=allow-oom
-- Gives a lock to the first who waits for it; if nobody does, the holder's client keeps it, to pass
-- it on by itself.
--
-- KEYS  1 lock, 2 fence, 3 queue, 4 waiters
-- ARGV  1 holder, 2 lifetime of the fence in ms, 3 the holder's last fence, 4 lease in ms,
--       5 how many numbers above the fence to reserve, 6 the last number that was reserved so far,
--       7 and 8 what to announce before and after the time if it is handed over, or nothing
-- Reply {1, fence, time} kept, with a new fence; {2, 0, time} handed over;
--       {0, 0, time} the lock is gone; {-1, 0, time} another holds it;
--       {-2, 0, time} another such request came first
--
-- The holder stays the same when his client passes the lock on, so a request that was delayed on
-- its way must not be executed then: it would hand over what is held again. Each can be executed
-- once, for it changes the number by which it is known.

--@ layout
--@ clock
--@ fence
--@ tell_lingering
--@ hand_over

if holder() ~= ARGV[1] then
  return {-redis.call('EXISTS', KEYS[1]), 0, now}
end
if whole(last_fence()) ~= ARGV[6] then
  return {-2, 0, now}
end
local left = redis.call('PTTL', KEYS[1])
local used = tonumber(ARGV[3])
if hand_over(used) then
  if ARGV[7] ~= '' then
    redis.pcall('PUBLISH', 'lock:release:' .. KEYS[1], ARGV[7] .. whole(now) .. ARGV[8])
  end
  return {2, 0, now}
end
local fence = next_fence(used, ARGV[5])
write(ARGV[1], whole(math.max(left, tonumber(ARGV[4]))))
return {1, fence, now}
