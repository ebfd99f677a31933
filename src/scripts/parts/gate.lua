-- The gate layout, for latches and barriers: a hash, KEYS[1]. A gate opens when as many have arrived as it expects.
-- A latch then stays open. A barrier starts its next phase.
--
--   gate   what it was made as, for example `latch 3`; how many arrivals open it, which is less after participants
--          have dropped out; how many of them are missing; how often it has opened
--   all other fields: a participant → the number and the phase of its last arrival
--
-- Reads it, and makes it if it is not there. Needs `made`, what the caller takes it for, and `lifetime` in ms: a gate
-- that is not used for so long is forgotten. A hash without `gate` belongs to another program, and is left alone.
local known, expected, left, phase = string.match(redis.call('HGET', KEYS[1], 'gate') or '',
  '^(%a+ %d+) (%d+) (%d+) (%d+)$')
if not known then
  if redis.call('EXISTS', KEYS[1]) == 1 then
    return redis.error_reply('WRONGTYPE a hash of another program')
  end
  expected = string.match(made, '%d+')
  left, phase = expected, 0
  redis.call('HSET', KEYS[1], 'gate', made .. ' ' .. expected .. ' ' .. left .. ' ' .. phase)
elseif known ~= made then
  local same_kind = string.match(known, '%a+') == string.match(made, '%a+')
  return (same_kind and '-4 ' or '-6 ') .. string.match(known, '%d+') .. ' ' .. micros
end
if redis.call('PTTL', KEYS[1]) < tonumber(lifetime) then
  redis.call('PEXPIRE', KEYS[1], lifetime)
end
