#!lua flags=allow-oom
-- Ends the hold of one member, because an operator says so. Then all waiters that fit are let in, as after a release.
--
-- KEYS  1 members, 2 fence, 3 queue
-- ARGV  1 holder and weight, 2 the capacity, or '' for a shared mutex, 3 the announcement, or '', 4 the digits of the
--       holder's client, or '', 5 the reason
-- Reply 1 broken; 0 nobody is in; -1 it was not in, but others are

--@ clock
local wanted = ARGV[2]
--@ census
if redis.call('ZREM', KEYS[1], ARGV[1]) == 0 then
  return out > 0 and -1 or 0
end
out = out - WEIGHT_IN(ARGV[1])
if out > 0 or known then
  redis.call('ZADD', KEYS[1], -out, 'out')
else
  redis.call('DEL', KEYS[1])
end
if known and redis.call('PTTL', KEYS[1]) < FENCE_LIFETIME() + 0 then
  redis.call('PEXPIRE', KEYS[1], FENCE_LIFETIME())
end
local own_place = ''
--@ let_in
ANNOUNCE()
TELL_ROBBED()
return 1
