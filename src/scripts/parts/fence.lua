-- Makes `fence`, the next fence after `last`, and sets aside as many numbers above it as `reserve` says, for
-- grants which the client passes on by itself. KEYS[2] has the last number that was given out or reserved.
--
-- If the number was lost, the server's time is greater than any number given out, so a fence only ever grows.
-- The number is remembered for 24 hours, so that setting the clock back by less than a day does no harm, and
-- a million locks that are never used again are forgotten within a day. A number ahead of the clock is
-- remembered until the clock has passed it, and for 24 hours more.
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
