#!lua flags=allow-oom
-- Sets the capacity of a semaphore, and lets in all waiters that fit now. Permits that are out stay out: if they
-- are more than the new capacity, nobody enters until enough have come back. From now on the capacity that a
-- client gives is not compared with this one.
--
-- KEYS  1 members, 2 fence, 3 queue
-- ARGV  1 '', 2 the capacity
-- Reply 1; -2 a shared mutex
--@ clock
local wanted = ARGV[2]
--@ census
if not known and out > 0 then
  return -2
end
capacity, known = wanted + 0, 'resized'
redis.call('ZREM', KEYS[1], 'capacity')
redis.call('ZADD', KEYS[1], -out, 'out', -capacity, known)
if redis.call('PTTL', KEYS[1]) < FENCE_LIFETIME() + 0 then
  redis.call('PEXPIRE', KEYS[1], FENCE_LIFETIME())
end
local own_place = ''
--@ let_in
return 1
