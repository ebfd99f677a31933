-- The holder ARGV[1] gives the lock up: to the first waiter, if there is one. ARGV[2] is its last fence, or '0' if
-- that is not known, and ARGV[3] the announcement, or ''. Needs `who`, the holder, and `reserved`: anything if
-- numbers above that fence are reserved. Returns 1.
local first = FIRST()
if not first and not reserved then
  LEAVE()
  ANNOUNCE()
  return 1
end

--@ clock
local last = ARGV[2]
if last == '0' then
  -- A key of another type is replaced. An error here would lose the waiter that was taken out of the queue.
  last = redis.pcall('GET', KEYS[2])
  last = type(last) == 'string' and last or ''
end
--@ hand_over
if not who then
  LEAVE()
  if reserved then
    -- The reserved numbers are given back.
    local kept = last
    redis.call('SET', KEYS[2], kept, 'PX', KEPT_FOR())
  end
end
ANNOUNCE()
return 1
