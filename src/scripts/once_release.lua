#!lua flags=allow-oom
-- Ends a run of a once_per: gives the lock back as release.lua does, and says in the mark whether the period is used
-- up. The mark is written even if the lock is lost: as long as it names this holder, no other run has begun.
--
-- KEYS  1 lock, 2 fence, 3 queue, 4 mark (parts/mark.lua)
-- ARGV  1 holder, 2 its fence, or '0' if that is not known, 3 the announcement, or '',
--       4 '1' if the period is used up, or '' if a run is due
-- Reply 1 released; 0 the lock is gone; -1 another one holds it

--@ plain
--@ mark
-- A key of another type is left alone. An error here would keep the lock.
local mark = redis.pcall('GET', KEYS[4])
if HAS_MARK() then
  if ARGV[4] == '1' then
    local left = math.max(redis.call('PTTL', KEYS[4]), 1)
    -- Before 7.0, when memory is full, SET is refused unless the script has written before. This changes nothing.
    redis.call('PEXPIRE', KEYS[4], left)
    redis.call('SET', KEYS[4], 'done', 'PX', left)
  else
    redis.call('DEL', KEYS[4])
  end
end

local who = HOLDER()
if who ~= ARGV[1] then
  return who and -1 or 0
end
local first, reserved = FIRST(), nil
--@ clock
--@ give_back
return 1
