#!lua
-- A candidate wants to lead. If there is no leader, the first candidate in the queue leads, or this one if there is
-- none. If there is a leader, joins the queue or renews the place there.
--
-- KEYS  1 term, 2 fence, 3 queue, 4 queue of watchers
-- ARGV  1 holder, 2 until when it is wanted, as in acquire.lua,
--       3 the sum of 1 if an earlier try may have run, 2 to join the queue, 16 to say how many wait,
--       4 the place, with the candidate (parts/lead.lua)
-- Reply 'CODE NUMBER TIME', or with ' WAITERS', as in acquire.lua:
--        1 it leads, with this fence
--        2 it leads since before, with this fence
--        0 busy: ms left of the leader's lease, or -1. It has a place in the queue if it was to join
--       -1 it came too late
--
-- Refused when memory is full: not flagged allow-oom.

--@ clock
if ARGV[2] < micros and ARGV[2] ~= '0' then
  return '-1 0 ' .. micros
end

local flags, joined = ARGV[3] + 0, ''
--@ leader
local waiting = not who and redis.call('LINDEX', KEYS[3], 0)
if waiting and waiting ~= ARGV[1] then
  local last = redis.call('GET', KEYS[2]) or ''
--@ next_leader
  if who then
--@ tell_watchers
  end
end

if who and (who ~= ARGV[1] or flags % 2 == 0) then
  -- If this request's own id leads, a repetition was granted first. It must not join the queue.
  local ends = END_IN(ARGV[4])
  if who ~= ARGV[1] and flags % 4 >= 2 and micros < ends then
--@ join
  end
  local left = redis.call('PTTL', KEYS[1])
  return '0 ' .. (left < 1e12 and left or '999999999999') .. ' ' .. micros .. joined
end

local lease, candidate = string.match(ARGV[4], '^(%d+) (.*)$', 35)
local code, number = '2 ', who and redis.call('LINDEX', KEYS[1], 2)
if who then
  -- Even if nothing changes it is written: WAIT counts from the last write.
  redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), lease))
else
  -- The fence first: if anything about it fails, nothing has been taken.
  local last, reserve = redis.call('GET', KEYS[2]) or '', '0000'
--@ fence
  redis.call('RPUSH', KEYS[1], ARGV[1], candidate, fence, '', '0')
  redis.call('PEXPIRE', KEYS[1], lease)
  code, number = '1 ', fence
end
if flags % 2 == 1 then
--@ leave_queue
end
if code == '1 ' then
--@ tell_watchers
end
return code .. number .. ' ' .. micros
