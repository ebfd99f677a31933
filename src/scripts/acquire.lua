#!lua
-- Takes a free lock, or finds that an earlier try of the same request took it. If another one holds the
-- lock, joins the queue or renews the place there.
--
-- KEYS  1 lock, 2 fence, 3 queue
-- ARGV  1 holder,
--       2 until when it is wanted, in µs by this server's clock (16 digits), or '0',
--       3 the sum of 1 if an earlier try may have run, 2 to join the queue if another one holds it,
--         4 if nobody may be overtaken, 8 if a bare acquire may have begun the fence anew, 16 to say how many wait,
--       4 the place (parts/place.lua), always, because it contains the lease
-- Reply 'CODE NUMBER TIME', where TIME is this server's, in µs since the epoch. If it was to say how many wait, and
--       has joined the queue, ' WAITERS' follows, with itself:
--        1 granted, with this fence
--        2 granted before, to an earlier try or by hand-over; the fence is a new one
--        0 busy: ms left of the lease or -1. It has a place in the queue if it was to join
--       -2 busy, as 0; the holder is of another library, which tells no waiter when it leaves
--       -3 busy, as 0; but the value does not look like a holder, and has no expiry
--       -1 it came too late
--
-- Refused when memory is full: not flagged allow-oom.

--@ clock
if ARGV[2] < micros and ARGV[2] ~= '0' then
  return '-1 0 ' .. micros
end

local flags, joined = ARGV[3] + 0, ''
local who = HOLDER()

-- Where nobody may be overtaken, a free lock goes to the first waiter.
if flags % 8 >= 4 and CAN_ENTER() then
  local first = redis.call('LINDEX', KEYS[3], 0)
  if first and first ~= ARGV[1] then
    local last = redis.call('GET', KEYS[2]) or ''
    first = FIRST()
--@ hand_over
  end
end

local free = CAN_ENTER()
if not free and (who ~= ARGV[1] or flags % 2 == 0) then
  local ours = who == ARGV[1] or IS_OF_PAWL(who)
  -- If this request's own id is the holder, a repetition was granted first. It must not join the queue.
  if who ~= ARGV[1] then
    if ours and #who == 48 then
      redis.pcall(SEND(), CHANNELS(KEYS[2]) .. string.sub(who, 33), 'wanted ' .. KEYS[1])
    end
    local ends = END_IN(ARGV[4])
    if flags % 4 >= 2 and micros < ends then
--@ join
    end
  end
  -- A key that INCR created has no expiry.
  if flags % 16 >= 8 and redis.call('PTTL', KEYS[2]) == -1 then
    redis.call('PEXPIRE', KEYS[2], FENCE_LIFETIME())
  end
--@ busy
end

-- The fence first: if anything about it fails, nothing has been taken.
local last = redis.call('GET', KEYS[2]) or ''
local reserve, lease = RESERVE_IN(ARGV[4]), LEASE_IN(ARGV[4])
--@ fence
who = ARGV[1]
if free then
  ENTER()
end
if flags % 2 == 1 then
  if not free and redis.call('PTTL', KEYS[1]) < tonumber(lease) then
    redis.call('PEXPIRE', KEYS[1], lease)
  end
--@ leave_queue
end
if #who == 48 and redis.call('EXISTS', KEYS[3]) == 1 then
  redis.pcall(SEND(), CHANNELS(KEYS[2]) .. string.sub(who, 33), 'wanted ' .. KEYS[1])
end
return (free and '1 ' or '2 ') .. fence .. ' ' .. micros
