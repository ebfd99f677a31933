#!lua
-- Takes a free lock, or finds that an earlier try of the same request took it; or else joins the
-- queue of those who wait for it, or renews the place there.
--
-- KEYS  1 lock, 2 fence, 3 queue, 4 waiters
-- ARGV  1 holder, 2 lifetime of the fence in ms, 3 lease in ms,
--       4 '1' if an earlier try may have run,
--       5 until when it is wanted, in ms by this server's clock, or '0',
--       6 '1' to join the queue if someone holds it, 7 '1' if nobody may be overtaken,
--       8 for how many ms the place in the queue is kept, 9 the client, whom to tell of the grant,
--       10 how many numbers above the fence to reserve
-- Reply {1, fence, time} granted;
--       {2, fence, time} granted before, to an earlier try or by hand-over;
--       {0, ms left of the lease or -1, time} someone holds it, and this one waits in the queue if
--       it was to join;
--       {-1, 0, time} it came too late. The time is this server's, in ms since the epoch.
--
-- Refused when memory is full: not flagged allow-oom.

--@ layout
--@ clock
--@ fence
--@ tell_lingering

if ARGV[5] ~= '0' and now > tonumber(ARGV[5]) then
  return {-1, 0, now}
end

local place = ARGV[1] .. ' ' .. ARGV[9] .. ' ' .. ARGV[3] .. ' ' .. ARGV[10]
local who = holder()

-- Where nobody may be overtaken, a free lock goes to the first of those who wait.
if not who and ARGV[7] == '1' then
--@ hand_over
  local first = redis.call('ZRANGE', KEYS[3], 0, 0)[1]
  if first and string.sub(first, 1, #place) ~= place then
    who = hand_over(0)
    if not who then
      redis.call('DEL', KEYS[1])
    end
  end
end

local mine = who == ARGV[1] and ARGV[4] == '1'
if who == ARGV[1] and not mine then
  -- A first try that was overtaken by its repetition, which was granted: it does not wait for itself.
  return {0, redis.call('PTTL', KEYS[1]), now}
end
if who and not mine then
  tell_lingering(who)
  if ARGV[6] == '1' then
    local stay = tonumber(ARGV[8])
    local last = redis.call('ZRANGE', KEYS[3], -1, -1, 'WITHSCORES')[2]
    local score = whole(math.max((last or 0) + 1, micros))
    -- Who comes for the first time, and stays for as long as is usual (hand_over says how long),
    -- needs no entry beside his place. But what looks like the first time may have been overtaken
    -- by its own repetition.
    if ARGV[4] == '0' and stay == math.max(ARGV[3], 1500) and
        not redis.call('ZSCORE', KEYS[3], place .. ' 1') then
      redis.call('ZADD', KEYS[3], score, place .. ' 0')
    else
      local before = redis.call('ZSCORE', KEYS[3], place .. ' 0')
      if before then
        redis.call('ZREM', KEYS[3], place .. ' 0')
      end
      redis.call('ZADD', KEYS[3], 'NX', before or score, place .. ' 1')
      redis.call('HSET', KEYS[4], ARGV[1], whole(now + stay))
      if redis.call('PTTL', KEYS[4]) < stay then
        redis.call('PEXPIRE', KEYS[4], ARGV[8])
      end
    end
    if not last or redis.call('PTTL', KEYS[3]) < stay then
      redis.call('PEXPIRE', KEYS[3], ARGV[8])
    end
  end
  return {0, redis.call('PTTL', KEYS[1]), now}
end

-- The fence first: if anything about it fails, nothing has been taken.
local fence = next_fence(last_fence(), ARGV[10])
if not mine then
  write(ARGV[1], ARGV[3])
elseif redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
if ARGV[4] == '1' then
  redis.call('ZREM', KEYS[3], place .. ' 0', place .. ' 1')
  redis.call('HDEL', KEYS[4], ARGV[1])
end
if #ARGV[1] == 48 and redis.call('EXISTS', KEYS[3]) == 1 then
  tell_lingering(ARGV[1])
end
return {mine and 2 or 1, fence, now}
