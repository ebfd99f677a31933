-- This server's time since the epoch: `now` in ms, `micros` in µs.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local micros = time[1] * 1000000 + time[2]

local function whole(number)
  return string.format('%.0f', number)
end
