#!lua flags=allow-oom
-- The leader gives the lead to the candidate with a name, if that one waits in the queue. Otherwise the term goes on.
--
-- A request that is delayed must not be executed when the leader has been told that the term goes on: it would go on
-- leading beside another one. So requests have numbers, and only one that is greater than the last is executed. A
-- repetition has the number of the first try.
--
-- KEYS  1 term, 2 fence, 3 queue, 4 queue of watchers
-- ARGV  1 holder, 2 its fence, 3 the announcement, or '', 4 name of the candidate, 5 number of the request
-- Reply 1 the candidate leads; 2 no such candidate waits; 0 there is no leader; -1 another one leads

--@ clock
--@ leader
if who ~= ARGV[1] then
  if who and redis.call('LINDEX', KEYS[1], 3) == ARGV[1] then
    return 1
  end
  return who and -1 or 0
end
if tonumber(redis.call('LINDEX', KEYS[1], 4)) >= tonumber(ARGV[5]) then
  return 2
end

local nul = string.char(0)
local index, first, place = 0, redis.call('LINDEX', KEYS[3], 0), redis.call('LINDEX', KEYS[3], 1)
while place do
  local candidate = string.match(place, '^%d+ (.*)$', 35) or ''
  if micros < place and
      (candidate == nul .. ARGV[4] or string.sub(candidate, 1, #ARGV[4] + 1) == ARGV[4] .. nul) then
    -- One whose client is gone is passed over: another candidate may have the same name.
    local listeners = redis.pcall('PUBSUB', LISTENERS(), CHANNELS(KEYS[2]) .. CLIENT_IN(place))[2]
    if listeners and listeners > 0 then
      break
    end
  end
  index = index + 2
  first, place = redis.call('LINDEX', KEYS[3], index), redis.call('LINDEX', KEYS[3], index + 1)
end

-- Before 7.0, when memory is full, LSET is refused unless the script has written before. LREM changes nothing here.
redis.call('LREM', KEYS[3], '1', '')
redis.call('LSET', KEYS[1], 4, ARGV[5])
if not place then
  return 2
end

-- Both elements of the candidate are removed, as parts/leave_queue.lua does it.
redis.call('LREM', KEYS[3], '1', first)
redis.call('LSET', KEYS[3], index, first)
redis.call('LREM', KEYS[3], '1', first)
local mine, my_fence, before = redis.call('LINDEX', KEYS[1], 1), redis.call('LINDEX', KEYS[1], 2),
  redis.call('LINDEX', KEYS[1], 3)
local left, last, by = math.max(redis.call('PTTL', KEYS[1]), 1), ARGV[2], ARGV[1]
--@ lead
if not who then
  -- The candidate cannot be told: the right to PUBLISH is missing. The term goes on.
  redis.call('DEL', KEYS[1])
  redis.call('RPUSH', KEYS[1], ARGV[1], mine, my_fence, before, ARGV[5])
  redis.call('PEXPIRE', KEYS[1], left)
  return 2
end
ANNOUNCE()
--@ tell_watchers
return 1
