#!lua
-- A node of a quorum votes for a holder if its lock is free and no waiter is ahead, or finds that it has voted for this
-- holder. Otherwise the holder joins the queue, or its place there is kept for longer.
--
-- KEYS  1 lock, 2 fence, 3 tickets, 4 places, 5 node
-- ARGV  1 holder,
--       2 until when it is wanted, in µs by this server's clock (16 digits), or '0',
--       3 the sum of 1 to join the queue, 2 to give a vote that is found a new number,
--       4 the place without its time and mode (parts/place.lua), always, because it contains the lease,
--       5 for how many ms the place is kept, 6 ticket, 7 proposal of the number (parts/number.lua),
--       8 run id, 9 length of the quarantine in ms (parts/node.lua)
-- Reply 'CODE NUMBER TIME', where TIME is this server's, in µs since the epoch:
--        1 voted, with this number
--        2 voted before, with this number; the lease is counted anew
--        0, -2, -3 busy, as of acquire.lua: ms left of the lease or -1. It has a place if it was to join
--       -4 the node is in quarantine, for so many ms. It has a place if it was to join
--       -1 it came too late
--
-- Refused when memory is full: not flagged allow-oom.

--@ clock
if ARGV[2] < micros and ARGV[2] ~= '0' then
  return '-1 0 ' .. micros
end

local flags, stay, ticket, proposal = tonumber(ARGV[3]), ARGV[5], ARGV[6], ARGV[7]
local run, quarantine, joined = ARGV[8], ARGV[9], ''
-- As RESERVE_IN and LEASE_IN, but without the time and the mode, which are needed only by a waiter.
local reserve, lease = string.sub(ARGV[4], 17, 20), string.sub(ARGV[4], 21)
local who = redis.call('GET', KEYS[1])
--@ node

-- In quarantine a vote that is found does not count either: it may be from an old snapshot, and the holder may have
-- handed it back since, to another one.
if barred > 0 then
  if flags % 2 == 1 then
    local place = PLACE_FOR(stay) .. ARGV[4]
--@ take_ticket
  end
  return '-4 ' .. barred .. ' ' .. micros
end

local last = redis.call('GET', KEYS[2]) or ''
local found, others_wait = who == ARGV[1], redis.call('EXISTS', KEYS[3]) == 1
if not who and others_wait then
--@ next_vote
end

if who and not found then
  local ours = IS_OF_PAWL(who)
  if flags % 2 == 1 then
    local place = PLACE_FOR(stay) .. ARGV[4]
--@ take_ticket
  end
--@ busy
end

if others_wait then
  LEAVE_TICKETS()
end
-- The number first: if anything about it fails, nothing has been taken.
if found and flags < 2 and tonumber(last) then
  if redis.call('PTTL', KEYS[1]) < tonumber(lease) then
    redis.call('PEXPIRE', KEYS[1], lease)
  end
  return '2 ' .. string.format('%016.0f', last - reserve) .. ' ' .. micros
end
--@ number
redis.call('SET', KEYS[1], ARGV[1], 'PX', lease)
return (found and '2 ' or '1 ') .. fence .. ' ' .. micros
