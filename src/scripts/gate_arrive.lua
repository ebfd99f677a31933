#!lua
-- A participant arrives at a gate. With the last arrival the gate opens, and all waiters are told at once.
--
-- A participant numbers its arrivals, and sends the next one only when the last one was answered or given up. So an
-- arrival whose number is not greater than the last one is a repetition or a delayed request, and does not count.
-- At a barrier, one that was refused is remembered too, with phase 0: a copy of it may come when more arrivals are
-- missing, and must not count.
--
-- KEYS  1 gate, 2 fence (not used), 3 queue
-- ARGV  1 participant, 2 number of its arrival, 3 how many arrivals this counts for, 4 what the gate was made as,
--       5 '1' if the participant drops out: then one less is expected from the next phase on
-- Reply 'CODE NUMBER TIME':
--        1 arrived in the phase NUMBER
--       -4 the gate was made for NUMBER arrivals, which is not the number that the caller gives
--       -5 only NUMBER arrivals are missing
--       -6 it is a gate of the other kind
--
-- Refused when memory is full: not flagged allow-oom.

--@ clock
local made = ARGV[4]
--@ gate
local number, mine = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '^(%d+) (%d+) ')
local seen = number and tonumber(number) >= tonumber(ARGV[2])
if seen and mine ~= '0' then
  return '1 ' .. mine .. ' ' .. micros
end
if seen or tonumber(ARGV[3]) > tonumber(left) then
  if not seen and string.find(made, 'barrier', 1, true) then
    redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' 0 ' .. micros)
  end
  return '-5 ' .. left .. ' ' .. micros
end
mine, left = phase, left - ARGV[3]
if ARGV[5] == '1' then
  expected = expected - 1
end
local opens = left == 0
if opens then
  phase = string.format('%016.0f', phase + 1)
  if string.find(made, 'barrier', 1, true) then
    left = expected
  end
end
-- Arrivals of the last hour are remembered, because their requests may be repeated. Older ones are removed once an
-- hour, when a phase ends: the processes that take part may be new ones in each phase. The hash is written again
-- without them, so that no right to HDEL is needed.
if opens and micros - tidied > 3600000000 then
  tidied = micros
  local all = redis.call('HGETALL', KEYS[1])
  redis.call('DEL', KEYS[1])
  for i = 1, #all, 2 do
    local time = string.match(all[i + 1], '^%d+ %d+ (%d+)$')
    if time and micros - time <= 3600000000 then
      redis.call('HSET', KEYS[1], all[i], all[i + 1])
    end
  end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. mine .. ' ' .. micros, 'gate', GATE_TEXT())
if tidied == micros then
  redis.call('PEXPIRE', KEYS[1], GATE_LIFETIME())
end
if opens then
  local who, place = redis.call('LPOP', KEYS[3]), redis.call('LPOP', KEYS[3])
  while place do
    if micros < place and LEASE_IN(place) == '' then
      redis.pcall(SEND(), CHANNELS(KEYS[2]) .. CLIENT_IN(place),
        'grant ' .. who .. ' ' .. phase .. ' ' .. micros .. ' ' .. KEYS[1])
    end
    who, place = redis.call('LPOP', KEYS[3]), redis.call('LPOP', KEYS[3])
  end
end
return '1 ' .. mine .. ' ' .. micros
