#!lua
-- A participant arrives at a gate. With the last arrival the gate opens, and all waiters are told at once.
--
-- A participant numbers its arrivals, and sends the next one only after the answer to the last. So an arrival with
-- a number that was seen before is a repetition or a delayed request, and does not count again.
--
-- KEYS  1 gate, 2 fence (not used), 3 queue
-- ARGV  1 participant, 2 number of its arrival, 3 how many arrivals this counts for, 4 what the gate was made as,
--       5 its lifetime in ms, 6 '1' if the participant drops out: then fewer are expected from the next phase on
-- Reply 'CODE NUMBER TIME':
--        1 arrived in the phase NUMBER
--       -4 the gate expects NUMBER arrivals, and not as many as given
--       -5 NUMBER arrivals are missing, and this would be more
--       -6 it is a gate of the other kind
--
-- Refused when memory is full: not flagged allow-oom.

--@ clock
local made, lifetime = ARGV[4], ARGV[5]
--@ gate
local number, before = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '^(%d+) (%d+)$')
if number and tonumber(number) >= tonumber(ARGV[2]) then
  return '1 ' .. before .. ' ' .. micros
end
if tonumber(ARGV[3]) > tonumber(left) then
  return '-5 ' .. left .. ' ' .. micros
end
before, left, phase = tonumber(phase), left - ARGV[3], tonumber(phase)
if ARGV[6] == '1' then
  expected = expected - 1
end
if left == 0 then
  phase = phase + 1
  if string.find(made, 'barrier', 1, true) then
    left = expected
  end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. before,
  'gate', made .. ' ' .. expected .. ' ' .. left .. ' ' .. phase)
if phase > before then
  local who, place = redis.call('LPOP', KEYS[3]), redis.call('LPOP', KEYS[3])
  while place do
    if micros < place then
      redis.pcall('PUBLISH', 'pawl:client:' .. CLIENT_IN(place),
        'grant ' .. who .. ' ' .. phase .. ' ' .. micros .. ' ' .. KEYS[1])
    end
    who, place = redis.call('LPOP', KEYS[3]), redis.call('LPOP', KEYS[3])
  end
  redis.call('DEL', KEYS[3])
end
return '1 ' .. before .. ' ' .. micros
