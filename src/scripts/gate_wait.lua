#!lua
-- Waits until a gate has opened after a phase: joins the queue, or renews the place there.
--
-- KEYS  1 gate, 2 fence (not used), 3 queue
-- ARGV  1 waiter, 2 until when it is wanted, 3 the sum of 1 if an earlier try may have run and 2 to join the queue,
--       4 the place: as in acquire.lua, 5 what the gate was made as, 6 its lifetime in ms, 7 the phase
-- Reply 'CODE NUMBER TIME':
--        1 it is open: NUMBER is how often it has opened
--        0 not yet; NUMBER is -1. It has a place in the queue if it was to join
--       -1, -4, -6 as in gate_arrive.lua and acquire.lua
--
-- Refused when memory is full: not flagged allow-oom.

--@ clock
if ARGV[2] < micros and ARGV[2] ~= '0' then
  return '-1 0 ' .. micros
end
local flags, made, lifetime = ARGV[3] + 0, ARGV[5], ARGV[6]
--@ gate
if tonumber(phase) > tonumber(ARGV[7]) then
  if flags % 2 == 1 then
--@ leave_queue
  end
  return '1 ' .. phase .. ' ' .. micros
end
local ends = END_IN(ARGV[4])
if flags % 4 >= 2 and micros < ends then
--@ join
end
return '0 -1 ' .. micros
