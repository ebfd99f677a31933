#!lua flags=allow-oom
-- Who leads?
--
-- KEYS  1 term
-- Reply 'FENCE LEFT CANDIDATE': the fence, ms left of the lease or -1, and the candidate (parts/term.lua), which may
--       contain any bytes; or '' if there is no leader
--@ leader
if not who then
  return ''
end
local left = redis.call('PTTL', KEYS[1])
return redis.call('LINDEX', KEYS[1], 2) .. ' ' .. (left < 1e12 and left or '999999999999') .. ' ' ..
  redis.call('LINDEX', KEYS[1], 1)
