#!lua
-- Enters an object that several holders may be in together: a shared mutex or a semaphore. Finds out if an
-- earlier try of the same request has entered. If it does not fit, or others wait, joins the queue or renews the
-- place there.
--
-- KEYS  1 members, 2 fence, 3 queue
-- ARGV  1 holder and weight, 2 until when it is wanted and 4 the place, as in acquire.lua,
--       3 the sum of 1 if an earlier try may have run, 2 to join the queue, 4 if no waiter may be overtaken, 16 to
--         say how many wait,
--       5 the capacity, or '' for a shared mutex
-- Reply 'CODE NUMBER TIME', or with ' WAITERS', as in acquire.lua:
--        1 granted, with this fence
--        2 granted before; the fence is a new one, except for a reader
--        0 busy: ms until the next lease ends, or -1. It has a place in the queue if it was to join
--       -1 it came too late
--       -4 the capacity is NUMBER, and not the one given
--       -5 the weight is greater than the capacity, which is NUMBER
--       -6 it is of the other kind
--
-- Refused when memory is full: not flagged allow-oom.

--@ clock
if ARGV[2] < micros and ARGV[2] ~= '0' then
  return '-1 0 ' .. micros
end

local flags, wanted, joined = ARGV[3] + 0, ARGV[5], ''
--@ census
if wanted == '' and known or wanted ~= '' and not known and out > 0 then
  return '-6 0 ' .. micros
end
if known == 'capacity' and capacity ~= tonumber(wanted) then
  return '-4 ' .. capacity .. ' ' .. micros
end
local who, weight, place = ARGV[1], WEIGHT_IN(ARGV[1]), ARGV[4]
if weight > capacity then
  return '-5 ' .. capacity .. ' ' .. micros
end

local own_place = place
--@ let_in
if entered then
  return '1 ' .. entered .. ' ' .. micros
end
local found = redis.call('ZSCORE', KEYS[1], who)
local fits = out + weight <= capacity and (flags % 8 < 4 or not first)
if found and flags % 2 == 0 or not found and not fits then
  -- If this request's own id is in, a repetition was granted first. It must not join the queue.
  local ends = END_IN(place)
  if not found and flags % 4 >= 2 and micros < ends then
--@ join
  end
  local next = redis.call('ZRANGEBYSCORE', KEYS[1], '1', '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
  local left = next and math.ceil(next - now) or -1
  if not next and out > 0 then
    -- Nobody is in. A script that lacked a permission may have stopped half-way, and left a wrong number.
    redis.call('ZADD', KEYS[1], 0, 'out')
  end
  return '0 ' .. (left < 1e12 and left or '999999999999') .. ' ' .. micros .. joined
end

-- The fence first: if anything about it fails, nothing has been taken.
local last, reserve, lease = redis.call('GET', KEYS[2]) or '', '0000', LEASE_IN(place)
--@ member_fence
--@ enter
if found then
  -- Even if nothing changes it is written: WAIT counts from the last write.
  redis.call('PEXPIRE', KEYS[1], lives)
end
if flags % 2 == 1 then
--@ leave_queue
end
return (found and '2 ' or '1 ') .. number .. ' ' .. micros
