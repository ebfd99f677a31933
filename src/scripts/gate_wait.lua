#!lua
-- Waits until a latch is open, or until a phase of a barrier has ended: joins the queue, or renews the place there.
--
-- KEYS  1 gate, 2 fence (not used), 3 queue
-- ARGV  1 waiter, 2 until when it is wanted, 3 the sum of 1 if an earlier try may have run and 2 to join the queue,
--       4 the place: as in acquire.lua, 5 what the gate was made as, 6 the phase of a barrier, or 0 for a latch
-- Reply 'CODE NUMBER TIME':
--        1 it is open; NUMBER is the present phase
--        2 the same, and an earlier try may have run
--        0 not yet; NUMBER is -1. It has a place in the queue if it was to join
--       -1 the request came too late
--       -4 the gate was made for NUMBER arrivals, which is not the number that the caller gives
--       -6 it is a gate of the other kind
--       -7 the barrier was forgotten and made again since that phase
--
-- All waiters in the queue wait for the present phase: when a phase ends, all of them are taken out.
--
-- Refused when memory is full: not flagged allow-oom.

--@ clock
if ARGV[2] < micros and ARGV[2] ~= '0' then
  return '-1 0 ' .. micros
end
local flags, made, mine, joined = ARGV[3] + 0, ARGV[5], tonumber(ARGV[6])
--@ gate
if mine > 0 and (mine < tonumber(first) or mine > tonumber(phase)) then
  return '-7 0 ' .. micros
end
if mine == 0 and tonumber(left) == 0 or mine > 0 and mine < tonumber(phase) then
  return (flags % 2 == 1 and '2 ' or '1 ') .. phase .. ' ' .. micros
end
local ends = END_IN(ARGV[4])
if flags % 4 >= 2 and micros < ends then
--@ join
end
return '0 -1 ' .. micros
