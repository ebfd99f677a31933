-- The gate layout, for latches and barriers: a hash, KEYS[1]. A gate opens when as many have arrived as it expects.
-- A latch then stays open. A barrier starts its next phase.
--
--   made       what the gate was made as, for example `latch 3`
--   expected   how many arrivals open it; smaller than in `made` after participants have dropped out
--   left       how many of them are missing
--   phase      how often it has opened
--   all other fields: a participant → the number and the phase of its last arrival
--
-- Reads it, and makes it if it is not there. Needs `made`, what the caller takes it for, and `lifetime` in ms: a gate
-- that is not used for so long is forgotten. A hash without `made` belongs to another program, and is left alone.
local gate = redis.call('HMGET', KEYS[1], 'made', 'expected', 'left', 'phase')
local expected, left, phase = tonumber(gate[2]), tonumber(gate[3]), tonumber(gate[4])
if not gate[1] then
  if redis.call('EXISTS', KEYS[1]) == 1 then
    return redis.error_reply('WRONGTYPE a hash of another program')
  end
  expected, phase = tonumber(string.match(made, '%d+')), 0
  left = expected
  redis.call('HSET', KEYS[1], 'made', made, 'expected', expected, 'left', left, 'phase', phase)
elseif gate[1] ~= made then
  local kind, number = string.match(gate[1], '^(%a+) (%d+)')
  return (string.find(made, kind, 1, true) and '-4 ' or '-6 ') .. (number or 0) .. ' ' .. micros
end
if redis.call('PTTL', KEYS[1]) < tonumber(lifetime) then
  redis.call('PEXPIRE', KEYS[1], lifetime)
end
