#!lua flags=allow-oom
-- A holder that has some votes, but no majority, hands back the vote of this node: to the waiter with the smallest
-- ticket. If that is the holder itself, it keeps the vote. Otherwise it has its place again.
--
-- A delayed request must not hand back a vote that the holder got later, and counts. So it names the number.
--
-- KEYS  1 lock, 2 fence, 3 tickets, 4 places, 5 node
-- ARGV  1 holder, 2 number, 3 the place without its time and mode, 4 for how many ms it is kept, 5 ticket,
--       6 proposal of the next number, 7 run id, 8 length of the quarantine in ms
-- Reply 'CODE 0 TIME': 1 given to another one; 2 kept, and the lease is counted anew; 0 nothing was changed: the vote
--       has another number, or is another one's

--@ clock
local stay, ticket, proposal, run, quarantine = ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8]
local place = PLACE_FOR(stay) .. ARGV[3]
local who, last = redis.call('GET', KEYS[1]), redis.call('GET', KEYS[2]) or ''
if who ~= ARGV[1] or (tonumber(last) or 0) - RESERVE_IN(place) ~= tonumber(ARGV[2]) then
  return '0 0 ' .. micros
end

-- The lease first: before 7.0, when memory is full, the commands below are refused unless the script has written
-- before.
if redis.call('PTTL', KEYS[1]) < tonumber(LEASE_IN(place)) then
  redis.call('PEXPIRE', KEYS[1], LEASE_IN(place))
end
--@ node
if barred > 0 then
  redis.call('DEL', KEYS[1])
else
--@ next_vote
end
if not who and barred <= 0 and redis.call('EXISTS', KEYS[1]) == 1 then
  return '2 0 ' .. micros
end
--@ take_ticket
return '1 0 ' .. micros
