-- This server's time since the epoch in µs, as `micros`: 16 digits. Texts of the same length compare like
-- numbers, and cost less: converting between text and number costs as much as a command.
local time = redis.call('TIME')
local micros = time[1] .. (#time[2] == 6 and time[2] or string.sub('00000' .. time[2], -6))
if #micros < 16 then
  micros = string.rep('0', 16 - #micros) .. micros
end
