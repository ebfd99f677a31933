#!lua
-- Takes a free lock, or finds that an earlier try of the same request took it; or else joins the
-- queue of those who wait for it, or renews the place there.
--
-- KEYS  1 lock, 2 fence, 3 queue, 4 waiters
-- ARGV  1 holder, 2 lease in ms,
--       3 until when it is wanted, in ms by this server's clock, or '0',
--       4 the sum of 1 if an earlier try may have run, 2 to join the queue if someone holds it,
--         4 if nobody may be overtaken, 8 if a bare acquire may have begun the fence anew
--       and, where they differ from what is said here:
--       5 the client, whom to tell of the grant (nobody), 6 how many numbers above the fence to
--       reserve (0), 7 for how many ms the place in the queue is kept (a lease, 1500 at least)
-- Reply {1, fence, time} granted;
--       {2, fence, time} granted before, to an earlier try or by hand-over;
--       {0, ms left of the lease or -1, time} someone holds it, and this one waits in the queue if
--       it was to join;
--       {-2, ms left of the lease or -1, time} likewise, but the holder is not one of ours: nobody
--       will be told when it leaves;
--       {-3, -1, time} likewise, but the value does not look like a holder, and has no expiry;
--       {-1, 0, time} it came too late. The time is this server's, in ms since the epoch.
--
-- Refused when memory is full: not flagged allow-oom.
--
-- What everyone needs comes first, and functions are made where they are called: making one costs as
-- much as a command.

--@ clock
if ARGV[3] ~= '0' and now > ARGV[3] + 0 then
  return {-1, 0, now}
end

local flags = ARGV[4] + 0

local who = HOLDER()

-- Where nobody may be overtaken, a free lock goes to the first of those who wait.
if flags % 8 >= 4 and not who then
  local mine = ARGV[1] .. ' ' .. (ARGV[5] or '') .. ' ' .. ARGV[2] .. ' ' .. (ARGV[6] or '0')
  local first = redis.call('ZRANGE', KEYS[3], 0, 0)[1]
  if first and string.sub(first, 1, #mine) ~= mine then
--@ layout
--@ fence
--@ hand_over
    if not hand_over(redis.call('ZPOPMIN', KEYS[3]), 0) then
      redis.call('DEL', KEYS[1])
    end
    who = HOLDER()
  end
end

local taken = not who
if taken then
  TAKE()
else
  if who == ARGV[1] and flags % 2 == 0 then
    -- A first try that was overtaken by its repetition, which was granted: it does not wait for
    -- itself.
    return {0, redis.call('PTTL', KEYS[1]), now}
  end
  if who ~= ARGV[1] then
    -- Holders of pawl are p and 31 digits, or 47, of which the last 16 are the client's: see hand_over.
    local ours = (#who == 32 or #who == 48) and string.find(who, '^p%x+$')
    if ours and #who == 48 then
      redis.pcall('PUBLISH', 'pawl:client:' .. string.sub(who, 33), 'wanted ' .. KEYS[1])
    end
    if flags % 4 >= 2 then
      local place = ARGV[1] .. ' ' .. ARGV[5] .. ' ' .. ARGV[2] .. ' ' .. (ARGV[6] or '0')
      local usual = math.max(ARGV[2], 1500)
      local stay = tonumber(ARGV[7] or usual)
      local last = redis.call('ZRANGE', KEYS[3], -1, -1, 'WITHSCORES')[2]
      local score = math.max((last or 0) + 1, micros)
      -- Who comes for the first time, and stays for as long as is usual (hand_over says how long),
      -- needs no entry beside his place. But what looks like the first time may have been overtaken
      -- by its own repetition.
      if flags % 2 == 0 and stay == usual and
          not (last and redis.call('ZSCORE', KEYS[3], place .. ' 1')) then
        redis.call('ZADD', KEYS[3], score, place .. ' 0')
      else
        local before = redis.call('ZSCORE', KEYS[3], place .. ' 0')
        if before then
          redis.call('ZREM', KEYS[3], place .. ' 0')
        end
        redis.call('ZADD', KEYS[3], 'NX', before or score, place .. ' 1')
        redis.call('HSET', KEYS[4], ARGV[1], now + stay)
        if redis.call('PTTL', KEYS[4]) < stay then
          redis.call('PEXPIRE', KEYS[4], stay)
        end
      end
      if not last or redis.call('PTTL', KEYS[3]) < stay then
        redis.call('PEXPIRE', KEYS[3], stay)
      end
    end
    -- What INCR made of nothing is no number of ours, and has no end.
    if flags >= 8 and redis.call('PTTL', KEYS[2]) == -1 then
      redis.call('PEXPIRE', KEYS[2], 86400000)
    end
    local left, code = redis.call('PTTL', KEYS[1]), 0
    if not ours then
      -- Lock libraries write random tokens of 16 characters and more, or, in the old way, a time.
      local shortest = string.find(who, '^[%d.]+$') and 10 or 16
      local is_token = #who >= shortest and not string.find(who, '[^%w%-_=+/:.@]')
      code = (left == -1 and not is_token) and -3 or -2
    end
    return {code, left, now}
  end
end

-- Server time carries on where a lost number would have, so it only ever grows. The numbers above
-- it that are reserved are for grants which the client passes on by itself.
local last = redis.pcall('GET', KEYS[2])
local fence, kept
if type(last) ~= 'table' then
  fence = (tonumber(last or 0) or 0) + 1
  if fence < micros then
    fence = micros
  end
  local number, lifetime = fence + (ARGV[6] or 0), '86400000'
  if number > micros then
    -- It is kept until the clock has passed it, and its lifetime longer: as in keep_fence.
    lifetime = lifetime + math.ceil(number / 1000) - now
  end
  kept = redis.pcall('SET', KEYS[2], number, 'PX', lifetime)
end
-- If anything about the fence fails, nothing has been taken.
if not kept or kept.err then
  if taken then
    redis.call('DEL', KEYS[1])
  end
  return kept or last
end

if flags % 2 == 1 then
  if not taken and redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
  end
  local place = ARGV[1] .. ' ' .. (ARGV[5] or '') .. ' ' .. ARGV[2] .. ' ' .. (ARGV[6] or '0')
  redis.call('ZREM', KEYS[3], place .. ' 0', place .. ' 1')
  redis.call('HDEL', KEYS[4], ARGV[1])
end
if #ARGV[1] == 48 and redis.call('EXISTS', KEYS[3]) == 1 then
  redis.pcall('PUBLISH', 'pawl:client:' .. string.sub(ARGV[1], 33), 'wanted ' .. KEYS[1])
end
return {taken and 1 or 2, fence, now}
