-- The members layout, for objects that several holders may enter together: a sorted set, KEYS[1]. Each holder is
-- a member: its id of 32 characters, then its weight. The score is the end of its lease in ms by the server's
-- clock. Members with a score of 0 or less are numbers: `out`, the sum of the weights that are in; `capacity`; and
-- `resized` instead of it, after the capacity was changed.
--
-- A shared mutex has no stored capacity: a reader weighs 1, and a writer weighs as much as the capacity.
--
-- WEIGHT_IN(@) is tonumber(string.sub(@, 33))
-- SHARED_CAPACITY() is 1000000000
--
-- Reads the numbers, and removes the holders whose leases have ended. Needs `wanted`, the caller's capacity, or
-- '' for a shared mutex. Afterwards `known` is the name of the stored capacity, or nil. A set without `out` belongs
-- to another program, and is left alone. parts/enter.lua notes in `lives` how long the key lives, to ask only once.
local now, out, capacity, known, ended = string.sub(micros, 1, 13), nil, tonumber(wanted) or SHARED_CAPACITY(), nil, 0
local lives = nil
local numbers = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'WITHSCORES')
for i = 1, #numbers, 2 do
  local name, number = numbers[i], -numbers[i + 1]
  if number < 0 then
    ended = ended + (WEIGHT_IN(name) or 0)
  elseif name == 'out' then
    out = number
  elseif name == 'capacity' or name == 'resized' then
    capacity, known = number, name
  end
end
if not out and redis.call('EXISTS', KEYS[1]) == 1 then
  return redis.error_reply('WRONGTYPE a sorted set of another program')
end
out = (out or 0) - ended
if ended > 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '1', now)
  redis.call('ZADD', KEYS[1], -out, 'out')
end
