-- The gate layout, for latches and barriers: a hash, KEYS[1]. A gate opens when as many have arrived as it expects.
-- A latch then stays open. A barrier begins its next phase.
--
--   gate   what it was made as, for example `latch 3`; how many arrivals open it: fewer after participants have
--          dropped out; how many of them are missing; the phase; the first phase; when arrivals were last tidied up
--   all other fields: participant → number, phase and time of its last arrival
--
-- Times are in µs. The first phase is the time at which the gate was made. So if a gate is forgotten and made again,
-- its phases have other numbers, and a waiter of the forgotten gate does not mistake them for its own.
--
-- GATE_LIFETIME() is '86400000'
-- GATE_TEXT() is made .. ' ' .. expected .. ' ' .. left .. ' ' .. phase .. ' ' .. first .. ' ' .. tidied
--
-- Reads the gate, and makes it if it is not there. Needs `made`, what the caller takes it for. A gate that is not
-- used for 24 hours is forgotten. A hash without the field `gate` belongs to another program, and is left alone.
local known, expected, left, phase, first, tidied = string.match(redis.call('HGET', KEYS[1], 'gate') or '',
  '^(%a+ %d+) (%d+) (%d+) (%d+) (%d+) (%d+)$')
if not known then
  if redis.call('EXISTS', KEYS[1]) == 1 then
    return redis.error_reply('WRONGTYPE a hash of another program')
  end
  expected = string.match(made, '%d+')
  left, phase, first, tidied = expected, micros, micros, micros
  redis.call('HSET', KEYS[1], 'gate', GATE_TEXT())
  -- If the gate was lost, its queue may be left. A waiter at a barrier has lost its arrival, so the end of the first
  -- phase must not release it: it gets an error when it looks again. A waiter at a latch may stay.
  if string.find(made, 'barrier', 1, true) then
    redis.call('DEL', KEYS[3])
  end
elseif known ~= made then
  local same_kind = string.match(known, '%a+') == string.match(made, '%a+')
  return (same_kind and '-4 ' or '-6 ') .. string.match(known, '%d+') .. ' ' .. micros
end
redis.call('PEXPIRE', KEYS[1], GATE_LIFETIME())
