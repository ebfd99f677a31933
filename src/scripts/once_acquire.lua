#!lua
-- Begins a run of a once_per, if one is due and the lock is free: takes the lock, and writes the mark. Finds out if
-- an earlier try of the same request has begun it.
--
-- KEYS  1 lock, 2 fence, 3 queue (not used), 4 mark (parts/mark.lua)
-- ARGV  1 holder, 2 until when it is wanted, 3 the sum of 1 if an earlier try may have run and others that do not
--       matter here, 4 the place, for the lease: as in acquire.lua,
--       5 the period in ms, 6 '1' if periods begin at multiples of it by this server's clock; or '' if they begin
--       with a run, 7 'once' or 'retry', for the mark
-- Reply 'CODE NUMBER TIME' as in acquire.lua:
--        1 begun, with this fence
--        2 begun before, by an earlier try; the fence is a new one
--        0 busy, -2, -3: as in acquire.lua
--       -1 it came too late
--       -8 not due: ms left of the period or -1
--
-- Refused when memory is full: not flagged allow-oom.

--@ plain
--@ mark
--@ clock
if ARGV[2] < micros and ARGV[2] ~= '0' then
  return '-1 0 ' .. micros
end

local repeated, who, joined = ARGV[3] % 2 == 1, HOLDER(), ''
if who and (who ~= ARGV[1] or not repeated) then
  local ours = who == ARGV[1] or IS_OF_PAWL(who)
--@ busy
end

-- If the lease of an earlier try ran out before its reply arrived, the mark is this holder's, and it may begin again.
-- After a release the mark never is, so a delayed request does not begin a second run.
local mark = redis.call('GET', KEYS[4])
if mark and not who and string.sub(mark, 1, 6) ~= 'retry ' and not (repeated and HAS_MARK()) then
  local left = redis.call('PTTL', KEYS[4])
  return '-8 ' .. (left < 0 and left or left + 1) .. ' ' .. micros
end

-- The fence first, and the lock last: if anything fails before, nothing has been taken.
local last, reserve, lease = redis.call('GET', KEYS[2]) or '', '0000', LEASE_IN(ARGV[4])
--@ fence
-- Also if it was begun before: the caller did not know it, so the run begins now.
redis.call('SET', KEYS[4], ARGV[7] .. ' ' .. ARGV[1], 'PX', ARGV[5] - 1)
if ARGV[6] == '1' then
  local now = math.floor(micros / 1000)
  -- A time that is not in the future would remove the mark at once.
  redis.call('PEXPIREAT', KEYS[4], math.max(now - now % ARGV[5] + ARGV[5] - 1, now + 1))
end
local found = who
who = ARGV[1]
if not found then
  ENTER()
elseif redis.call('PTTL', KEYS[1]) < tonumber(lease) then
  redis.call('PEXPIRE', KEYS[1], lease)
end
return (found and '2 ' or '1 ') .. fence .. ' ' .. micros
