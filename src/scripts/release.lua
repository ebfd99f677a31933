#!lua flags=allow-oom
-- Gives a lock back, however often it is held, if it is still its holder's: to the first who waits,
-- if anyone does. Whoever does not hold it, and waits for it, waits no more.
--
-- KEYS  1 lock, 2 fence, 3 queue, 4 waiters
-- ARGV  1 holder, 2 lifetime of the fence in ms,
--       3 the holder's last fence, or '0' if he does not know,
--       4 '1' if there were numbers reserved above it,
--       5 his place in the queue without its mark, or nothing if he cannot have one,
--       6 and 7 what to announce before and after the time, or nothing
-- Reply 1 released; 0 the lock is gone; -1 another holds it

--@ layout
--@ clock
--@ fence
--@ tell_lingering
--@ hand_over

if holder() ~= ARGV[1] then
  if ARGV[5] ~= '' then
    redis.call('ZREM', KEYS[3], ARGV[5] .. ' 0', ARGV[5] .. ' 1')
    redis.call('HDEL', KEYS[4], ARGV[1])
  end
  return -redis.call('EXISTS', KEYS[1])
end
local used = tonumber(ARGV[3])
if not hand_over(used) then
  redis.call('DEL', KEYS[1])
  if ARGV[4] == '1' then
    keep_fence(used)
  end
end
if ARGV[6] ~= '' then
  redis.pcall('PUBLISH', 'lock:release:' .. KEYS[1], ARGV[6] .. whole(now) .. ARGV[7])
end
return 1
