#!lua flags=allow-oom
-- Sets the capacity of a semaphore, and lets in all waiters that fit now. Permits that are out stay out: if they
-- are more than the new capacity, nobody enters until enough have come back. From now on the capacity that a
-- client gives is not compared with this one.
--
-- A copy of the request that arrives late must not undo a later resize. So each resize has a number, and the request
-- names the number of the last one that its caller has seen. If there was another since, it changes nothing. Perhaps
-- this request has been executed before. Perhaps a copy of an older one, whose caller has given up, came in between.
-- So the caller sends it again, with the new number, until it is executed.
--
-- KEYS  1 members, 2 fence, 3 queue
-- ARGV  1 '', 2 the capacity, 3 the number of the last resize, 0 if there was none; or '' to ask for it
-- Reply 'CODE NUMBER': 1 the capacity is set, and NUMBER is that of this resize;
--       0 nothing is changed, and NUMBER is that of the last resize; -2 0 a shared mutex
--@ clock
local wanted, before = ARGV[2], string.sub(redis.call('ZSCORE', KEYS[1], 'resize_number') or '-0', 2)
if ARGV[3] ~= before then
  return '0 ' .. before
end
--@ census
if not known and out > 0 then
  return '-2 0'
end
-- The time, so that a number is not used again when the server has forgotten the last one.
local resize_number = before < micros and micros or string.format('%.0f', before + 1)
capacity, known = wanted + 0, 'resized'
redis.call('ZREM', KEYS[1], 'capacity')
redis.call('ZADD', KEYS[1], -out, 'out', -capacity, known, '-' .. resize_number, 'resize_number')
if redis.call('PTTL', KEYS[1]) < FENCE_LIFETIME() + 0 then
  redis.call('PEXPIRE', KEYS[1], FENCE_LIFETIME())
end
local own_place = ''
--@ let_in
return '1 ' .. resize_number
