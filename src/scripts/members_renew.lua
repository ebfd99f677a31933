#!lua flags=allow-oom
-- Counts the leases of many holders anew, each if it is still in. Never shortens one: a delayed renewal must not
-- undo a longer extension.
--
-- KEYS  1…n members
-- ARGV  holder with its weight, and lease in ms, for each in turn
-- Reply for each: 1 renewed; 0 it is not in; -2 not such an object
--@ clock
local now, replies = micros / 1000, {}
for i, key in ipairs(KEYS) do
  local holder, lease = ARGV[2 * i - 1], ARGV[2 * i]
  local ends = redis.pcall('ZSCORE', key, holder)
  if type(ends) == 'table' then
    if not string.find(ends.err, 'WRONGTYPE', 1, true) then
      return ends
    end
    replies[i] = -2
  elseif ends and tonumber(ends) > now then
    local lives = redis.call('PTTL', key)
    if lives < tonumber(lease) then
      -- A semaphore is remembered for 24 hours after its last use.
      lives = lease
      if redis.call('ZSCORE', key, 'capacity') or redis.call('ZSCORE', key, 'resized') then
        lives = lease + FENCE_LIFETIME()
      end
    end
    -- Before 7.0, when memory is full, ZADD is refused unless the script has written before.
    redis.call('PEXPIRE', key, lives)
    if tonumber(ends) < now + lease then
      redis.call('ZADD', key, math.floor(now + lease), holder)
    end
    replies[i] = 1
  else
    replies[i] = 0
  end
end
return replies
