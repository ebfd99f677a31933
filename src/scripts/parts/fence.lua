-- The fence, KEYS[2]: the last number given out, or reserved. It is remembered for 24 hours: longer
-- than any step of the clock that a person would make, and short enough that a million locks which
-- are never used again are forgotten within a day.

local function last_fence()
  return tonumber(redis.call('GET', KEYS[2]) or 0) or 0
end

-- If the clock was set back the number is ahead of it, and is kept until the clock has passed it,
-- and its lifetime longer.
local function keep_fence(number)
  local ahead = math.max(math.ceil(number / 1000) - now, 0)
  redis.call('SET', KEYS[2], number, 'PX', 86400000 + ahead)
end

-- Server time carries on where a lost number would have, so it only ever grows. The numbers above
-- it that are reserved are for grants which the client passes on by itself.
local function next_fence(last, reserve)
  local fence = math.max(last + 1, micros)
  keep_fence(fence + reserve)
  return fence
end
