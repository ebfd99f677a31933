#!lua flags=allow-oom
-- Gives a lock to the first waiter. If there is none, the holder's client keeps it, to pass it on by
-- itself.
--
-- KEYS  1 lock, 2 fence, 3 queue
-- ARGV  1 holder, 2 its last fence, 3 the announcement of a hand-over, or '', 4 lease in ms,
--       5 how many numbers above the new fence to reserve, 6 the last number that was reserved so far
-- Reply 'CODE FENCE': 1 kept, with a new fence; 2 handed over; 0 the lock is gone;
--       -1 another one holds it; -2 another such request came first
--
-- The holder stays the same when its client passes the lock on. So a delayed request must not be
-- executed: it would hand over a lock that is held again. A request names the last reserved number, and is
-- executed only if KEYS[2] still has that number, or a little more: a bare acquire that finds the lock taken
-- adds one. When it is executed, it moves KEYS[2] further than that.

--@ clock
local who = HOLDER()
if who ~= ARGV[1] then
  return who and '-1 0' or '0 0'
end
local known = redis.call('GET', KEYS[2]) or ''
local skipped = (tonumber(known) or 0) - ARGV[6]
if not (skipped >= 0 and skipped <= tonumber(ARGV[5])) then
  return '-2 0'
end
local left = redis.call('PTTL', KEYS[1])
local first, last = FIRST(), ARGV[2]
--@ hand_over
if who then
  ANNOUNCE()
  return '2 0'
end
local reserve, lease = ARGV[5], math.max(left, ARGV[4])
last = known
--@ fence
who = ARGV[1]
ENTER()
return '1 ' .. fence
