#!lua
-- Takes a free lock with a count of 1, or finds that an earlier try of the same request took it.
--
-- KEYS  1 lock (hash: holder → count), 2 fence (string: the last number given out)
-- ARGV  1 holder, 2 lease in ms, 3 lifetime of the fence in ms, 4 '1' if an earlier try may have run,
--       5 until when it is wanted, in ms by this server's clock, or '0'
-- Reply {1, fence, time} granted; {0, ms left of the lease or -1, time} someone holds it;
--       {-1, 0, time} it came too late. The time is this server's, in ms since the epoch.
--
-- Refused when memory is full: not flagged allow-oom.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if ARGV[5] ~= '0' and now > tonumber(ARGV[5]) then
  return {-1, 0, now}
end

local left = redis.call('PTTL', KEYS[1])
local repeated = redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 and ARGV[4] == '1'
if left ~= -2 and not repeated then
  return {0, left, now}
end

-- The fence first: if anything about it fails, nothing has been taken. Server time carries on where
-- a lost number would have, so it only ever grows. If the clock was set back the number is ahead of
-- it, and is kept until the clock has passed it, and its lifetime longer.
local last = tonumber(redis.call('GET', KEYS[2]) or 0) or 0
local fence = math.max(last + 1, time[1] * 1000000 + time[2])
local ahead = math.max(math.ceil(fence / 1000) - now, 0)
redis.call('SET', KEYS[2], string.format('%.0f', fence), 'PX', string.format('%.0f', ARGV[3] + ahead))

if not repeated then
  redis.call('HSET', KEYS[1], ARGV[1], 1)
end
if left < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return {1, fence, now}
