#!lua flags=allow-oom
-- Gives a lock back, however often it is held, if it is still its holder's: to the first who waits,
-- if anyone does. Whoever does not hold it, and waits for it, waits no more.
--
-- KEYS  1 lock, 2 fence, 3 queue, 4 waiters
-- ARGV  1 holder,
--       2 the sum of 1 to announce it, 2 if name and holder are not fit for JSON as they are,
--         4 if there were numbers reserved above the holder's last fence,
--       3 that fence, or '0' if he does not know
--       and, unless there is no need:
--       4 his place in the queue without its mark, or nothing if he cannot have one,
--       5 and 6 name and holder in JSON
-- Reply 1 released; 0 the lock is gone; -1 another holds it

if HOLDER() ~= ARGV[1] then
  if ARGV[4] and ARGV[4] ~= '' then
    redis.call('ZREM', KEYS[3], ARGV[4] .. ' 0', ARGV[4] .. ' 1')
    redis.call('HDEL', KEYS[4], ARGV[1])
  end
  return -redis.call('EXISTS', KEYS[1])
end

local flags = ARGV[2] + 0
local first = redis.call('ZPOPMIN', KEYS[3])
if not first[1] and flags < 4 then
  redis.call('DEL', KEYS[1])
  if flags % 2 == 1 then
--@ clock
--@ announce
  end
  return 1
end

--@ clock
--@ layout
--@ fence
--@ hand_over
local used = tonumber(ARGV[3])
if not hand_over(first, used) then
  redis.call('DEL', KEYS[1])
  if flags >= 4 then
    keep_fence(used)
  end
end
if flags % 2 == 1 then
--@ announce
end
return 1
