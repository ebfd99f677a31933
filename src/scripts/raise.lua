#!lua flags=allow-oom
-- The number of a vote becomes at least this, if the node has voted for this holder. The check of the holder is what
-- makes fences grow: a later holder gets its vote after this one had it, and so a greater number.
--
-- In quarantine a vote that is found may be from an old snapshot. The holder may have handed it back since, to another
-- one that still counts on it. So it does not count.
--
-- KEYS  1 lock, 2 fence, 3 tickets, 4 places, 5 node
-- ARGV  1 holder, 2 number, 3 how many numbers above it to reserve, 4 lease in ms, or '0' to let it go on as it is,
--       5 run id, 6 length of the quarantine in ms (parts/node.lua)
-- Reply 'CODE OTHERS TIME': 1 raised, and OTHERS is 1 if others wait; 0 the node has no holder; -1 it has voted for
--       another one; -4 the node is in quarantine

--@ clock
local run, quarantine = ARGV[5], ARGV[6]
--@ node
if barred > 0 then
  return '-4 0 ' .. micros
end
local who = redis.call('GET', KEYS[1])
if who ~= ARGV[1] then
  return (who and '-1 0 ' or '0 0 ') .. micros
end
local last = tonumber(redis.call('GET', KEYS[2]) or '')
local kept = string.format('%016.0f', math.max(last or 0, ARGV[2] + ARGV[3]))
-- Before 7.0, when memory is full, SET is refused unless the script has written before.
redis.call('PEXPIRE', KEYS[2], FENCE_LIFETIME())
redis.call('SET', KEYS[2], kept, 'PX', KEPT_FOR())
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[4]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
end
return '1 ' .. redis.call('EXISTS', KEYS[3]) .. ' ' .. micros
