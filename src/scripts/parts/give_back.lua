-- The holder, ARGV[1], gives the lock back: to `first`, which FIRST() took out of the queue, and which may be
-- false. ARGV[2] is the holder's last fence, or '0' if that is not known. `reserved` is not nil if numbers above
-- that fence are reserved.
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
