#!lua flags=allow-oom
-- Counts the leases of sets of locks anew, each set if all its locks are still its holder's. Never shortens
-- one.
--
-- KEYS  the locks of the first set, then those of the second, …
-- ARGV  holder, lease in ms and number of locks for each set in turn
-- Reply for each set: 1 renewed; 0 one of its locks is gone; -1 another one holds one of them; -2 one is not a
--       lock
local replies, before = {}, 0
for i = 1, #ARGV, 3 do
  local holder, lease, count = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2])
  local reply = 1
  for at = before + 1, before + count do
    local key = KEYS[at]
    local found = FIND()
    if type(found) == 'table' then
      if not string.find(found.err, 'WRONGTYPE', 1, true) then
        return found
      end
      reply = -2
    elseif not (IS_HOLDER()) then
      reply = math.min(reply, -redis.call('EXISTS', key))
    end
  end
  for at = before + 1, reply == 1 and before + count or before do
    -- As in renew.lua.
    if redis.pcall('PEXPIRE', KEYS[at], lease, 'GT') ~= 1 then
      redis.call('PEXPIRE', KEYS[at], math.max(redis.call('PTTL', KEYS[at]), lease))
    end
  end
  before = before + count
  replies[#replies + 1] = reply
end
return replies
