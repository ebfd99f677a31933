-- This server's time since the epoch: `now` in ms, `micros` in µs.
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = (micros - micros % 1000) / 1000
