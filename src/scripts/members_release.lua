#!lua flags=allow-oom
-- A holder leaves an object that several holders may be in together. One that is not in leaves the queue. Then
-- all waiters that fit are let in: the one that has left the queue may have blocked those behind it.
--
-- KEYS  1 members, 2 fence, 3 queue
-- ARGV  1 holder and weight, 2 the capacity, or '' for a shared mutex, 3 the announcement, or ''
-- Reply 1 released; 0 it was not in

--@ clock
local wanted = ARGV[2]
--@ census
local other_kind = wanted == '' and known or wanted ~= '' and not known and out > 0
local left = redis.call('ZREM', KEYS[1], ARGV[1])
if left == 1 then
  out = out - WEIGHT_IN(ARGV[1])
  if out > 0 or known then
    redis.call('ZADD', KEYS[1], -out, 'out')
  else
    redis.call('DEL', KEYS[1])
  end
  if known and redis.call('PTTL', KEYS[1]) < FENCE_LIFETIME() + 0 then
    redis.call('PEXPIRE', KEYS[1], FENCE_LIFETIME())
  end
else
--@ leave_queue
end
if other_kind then
  return left
end
local own_place = ''
--@ let_in
if left == 1 then
  ANNOUNCE()
end
return left
