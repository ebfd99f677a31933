#!lua
-- Waits until another leader leads than the one that the watcher has seen, or none: joins the queue of watchers, or
-- renews the place there.
--
-- KEYS  1 term, 2 fence (not used), 3 queue of watchers
-- ARGV  1 watcher, 2 until when it is wanted, 3 the sum of 1 if an earlier try may have run and 2 to join the queue,
--       4 the place: as in acquire.lua, 5 the fence of the leader that was seen, or 0 if there was none
-- Reply 'CODE NUMBER TIME':
--        1 there was a change; NUMBER is the fence of the present leader, or the time if there is none
--        2 the same, and an earlier try may have run
--        0 not yet; NUMBER is the rest of the leader's lease in ms, or -1 if there is no leader. The watcher has a
--          place in the queue if it was to join
--       -1 the request came too late
--
-- Refused when memory is full: not flagged allow-oom.

--@ clock
if ARGV[2] < micros and ARGV[2] ~= '0' then
  return '-1 0 ' .. micros
end
local flags, joined = ARGV[3] + 0
--@ leader
local fence = who and redis.call('LINDEX', KEYS[1], 2)
if tonumber(fence or 0) ~= tonumber(ARGV[5]) then
  -- It may have a place: the server tells nobody when a lease runs out.
  if flags % 2 == 1 then
--@ leave_queue
  end
  return (flags % 2 == 1 and '2 ' or '1 ') .. (fence or micros) .. ' ' .. micros
end
local ends = END_IN(ARGV[4])
if flags % 4 >= 2 and micros < ends then
--@ join
end
local left = who and redis.call('PTTL', KEYS[1]) or -1
return '0 ' .. (left < 1e12 and left or '999999999999') .. ' ' .. micros
