-- Reads the leader, as `who`. A list of another length belongs to another program, and is left alone.
local who = redis.call('LINDEX', KEYS[1], 0)
if who and (not redis.call('LINDEX', KEYS[1], 4) or redis.call('LINDEX', KEYS[1], 5)) then
  return redis.error_reply('WRONGTYPE a list of another program')
end
