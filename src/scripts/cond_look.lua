#!lua flags=allow-oom
-- A waiter looks whether it is still in the condition. Its place is kept for longer, or it leaves.
--
-- KEYS  1 lock, 2 fence, 3 queue (none of them is used), 4 condition
-- ARGV  1 waiter, 2 its place after the time, 3 how long the place is kept, in ms, 4 '1' if it leaves
-- Reply 1 it is in the condition, or was until now; 0 it is not: it was notified, or the server has forgotten it
local found = redis.call('LPOS', KEYS[4], ARGV[1])
if not found then
  return 0
end
if ARGV[4] == '1' then
--@ leave_condition
  return 1
end
--@ clock
--@ condition
redis.call('LSET', KEYS[4], found + 1, PLACE_FOR(ARGV[3]) .. ARGV[2])
if redis.call('PTTL', KEYS[4]) < tonumber(ARGV[3]) then
  redis.call('PEXPIRE', KEYS[4], ARGV[3])
end
return 1
