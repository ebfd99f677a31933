#!lua flags=allow-oom
-- Counts the leases of many locks anew, each if it is still its holder's. Never shortens one: a delayed
-- renewal must not undo a longer extension.
--
-- KEYS  1…n locks
-- ARGV  holder and lease in ms for each lock in turn
-- Reply for each lock: 1 renewed; 0 gone; -1 another one holds it; -2 not a lock
local replies = {}
for i, key in ipairs(KEYS) do
  local holder, lease = ARGV[2 * i - 1], ARGV[2 * i]
  local found = FIND()
  if type(found) == 'table' then
    if not string.find(found.err, 'WRONGTYPE', 1, true) then
      return found
    end
    replies[i] = -2
  elseif IS_HOLDER() then
    -- GT fails if the lease is longer already, or the server is older than 7.0, or the lock has no expiry. Even
    -- if nothing changes it is written: WAIT counts from the last write.
    if redis.pcall('PEXPIRE', key, lease, 'GT') ~= 1 then
      redis.call('PEXPIRE', key, math.max(redis.call('PTTL', key), lease))
    end
    replies[i] = 1
  else
    replies[i] = -redis.call('EXISTS', key)
  end
end
return replies
