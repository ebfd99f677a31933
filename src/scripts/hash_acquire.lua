#!lua
-- Takes a free lock with a count of 1, or finds that an earlier try of the same request took it.
--
-- KEYS  1 lock (hash: holder → count), 2 fence (string: the last number given out)
-- ARGV  1 holder, 2 lease in ms, 3 lifetime of the fence in ms, 4 '1' if an earlier try may have run
-- Reply {1, fence} granted; {0, ms left of the lease or -1} someone holds it
--
-- Refused when memory is full: not flagged allow-oom.

local left = redis.call('PTTL', KEYS[1])
local repeated = redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 and ARGV[4] == '1'
if left ~= -2 and not repeated then
  return {0, left}
end

-- The fence first: if anything about it fails, nothing has been taken. Server time carries on where
-- a lost number would have, so it only ever grows.
local time = redis.call('TIME')
local last = tonumber(redis.call('GET', KEYS[2]) or 0) or 0
local fence = math.max(last + 1, time[1] * 1000000 + time[2])
redis.call('SET', KEYS[2], string.format('%.0f', fence), 'PX', ARGV[3])

if not repeated then
  redis.call('HSET', KEYS[1], ARGV[1], 1)
end
if left < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return {1, fence}
