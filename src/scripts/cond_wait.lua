#!lua
-- A holder gives its lock back and waits for a condition. Both are one step, so no notification comes between.
--
-- KEYS  1 lock, 2 fence, 3 queue, 4 condition
-- ARGV  1 holder, 2 its last fence, or '0', 3 the announcement, or '', 4 '1' if numbers above that fence are
--       reserved, 5 the waiter: a new holder id, 6 its place after the time, 7 how long the place is kept, in ms
-- Reply 1 it waits, or did so after an earlier try; 0 the lock is gone; -1 another one holds it
--
-- When it is executed again, the holder has the lock no more, and the waiter is in the condition, or in the queue,
-- or has the lock.
--
-- Refused when memory is full: not flagged allow-oom.

--@ clock
--@ condition
local who = HOLDER()
if who ~= ARGV[1] then
  if who == ARGV[5] or redis.call('LPOS', KEYS[4], ARGV[5]) or redis.call('LPOS', KEYS[3], ARGV[5]) then
    return 1
  end
  return who and -1 or 0
end
-- It joins first: if that fails, the lock is still held.
redis.call('RPUSH', KEYS[4], ARGV[5], PLACE_FOR(ARGV[7]) .. ARGV[6])
if redis.call('PTTL', KEYS[4]) < tonumber(ARGV[7]) then
  redis.call('PEXPIRE', KEYS[4], ARGV[7])
end
local first, reserved = FIRST(), ARGV[4] == '1' or nil
--@ give_back
return 1
