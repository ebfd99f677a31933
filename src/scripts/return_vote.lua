#!lua flags=allow-oom
-- A holder gives the vote of this node back, if it still has it: to the waiter with the smallest ticket, if there is one.
-- A holder that has no vote here leaves the queue.
--
-- KEYS  1 lock, 2 fence, 3 tickets, 4 places, 5 node
-- ARGV  1 holder, 2 its last fence, or '0' if that is not known, 3 the announcement, or '', 4 '1' if numbers above that
--       fence are reserved, or '', 5 proposal of the next number, 6 run id, 7 length of the quarantine in ms
-- Reply 1 returned; 0 the node has no holder; -1 it has voted for another one

local who, others_wait = redis.call('GET', KEYS[1]), redis.call('EXISTS', KEYS[3]) == 1
if others_wait then
  LEAVE_TICKETS()
end
if who ~= ARGV[1] then
  return who and -1 or 0
end

--@ clock
local used, last = tonumber(ARGV[2]), ''
if others_wait or ARGV[4] ~= '1' then
  -- A key of another type is replaced: an error here would keep the vote until its lease ends.
  last = redis.pcall('GET', KEYS[2])
  last = type(last) == 'string' and last or ''
end
-- Reserved numbers are given back. Without any, the fence may be greater than this node knows.
if used > 0 and (ARGV[4] == '1' or used > (tonumber(last) or 0)) then
  local kept = string.format('%016.0f', used)
  -- Before 7.0, when memory is full, SET is refused unless the script has written before.
  redis.call('PEXPIRE', KEYS[2], FENCE_LIFETIME())
  redis.call('SET', KEYS[2], kept, 'PX', KEPT_FOR())
  last = kept
end
who = false
if others_wait then
  local proposal, run, quarantine, ticket = ARGV[5], ARGV[6], ARGV[7], nil
--@ node
  if barred <= 0 then
--@ next_vote
  end
end
if not who then
  redis.call('DEL', KEYS[1])
end
ANNOUNCE()
return 1
