#!lua flags=allow-oom
-- When is the next run of a once_per due?
--
-- KEYS  1 mark (parts/mark.lua)
-- Reply ms left of the period; 0 if a run is due, or would be if none were under way; -1 if the mark has no expiry

local mark = redis.call('GET', KEYS[1])
if not mark or string.sub(mark, 1, 6) == 'retry ' then
  return 0
end
local left = redis.call('PTTL', KEYS[1])
return left < 0 and left or left + 1
