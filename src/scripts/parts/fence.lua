-- The next fence after `last`, as `fence`, and as many numbers above it as `reserve` says: for grants which
-- the client passes on by itself. KEYS[2] has the last number that was given out or reserved.
--
-- Server time carries on where a lost number would have, so a fence only ever grows. The number is
-- remembered for 24 hours: longer than any step of the clock that a person would make, and short enough
-- that a million locks which are never used again are forgotten within a day. If it is ahead of the clock,
-- it is kept until the clock has passed it, and its lifetime longer.
--
-- FENCE_LIFETIME() is '86400000'
-- KEPT_FOR() is FENCE_LIFETIME() + math.max(math.ceil((kept - micros) / 1000), 0)
local fence, kept, lifetime = micros, micros, FENCE_LIFETIME()
if #last ~= 16 or last >= micros or reserve ~= '0000' then
  local number = math.max((tonumber(last) or 0) + 1, tonumber(micros))
  fence = string.format('%016.0f', number)
  kept = string.format('%016.0f', number + reserve)
  lifetime = KEPT_FOR()
end
redis.call('SET', KEYS[2], kept, 'PX', lifetime)
last = kept
