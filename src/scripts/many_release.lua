#!lua flags=allow-oom
-- Gives back what the holder has of a set, as a whole or as a part: each lock to its first waiter, if there is
-- one. A waiter leaves the queues.
--
-- KEYS  lock, fence and queue of each lock in turn
-- ARGV  1 holder, 2 holder of a part; then the announcement for each lock, if they are announced
-- Reply 1 released; 0 one of them is gone, or was held as a part only; -1 another one holds one of them

local all, asked = KEYS, ARGV
local result, failed = 1, nil
--@ clock
for i = 1, #all, 3 do
  local KEYS, ARGV = {all[i], all[i + 1], all[i + 2]}, {asked[2], '', asked[(i + 8) / 3]}
--@ leave_queue
  local key, holder = KEYS[1], asked[1]
  local found = FIND()
  local is_held, is_announced = type(found) ~= 'table' and IS_HOLDER(), true
  if type(found) == 'table' then
    -- The other locks are given back all the same.
    failed = found
  elseif not is_held then
    is_announced = false
    holder = asked[2]
    found = FIND()
    is_held = IS_HOLDER()
    result = math.min(result, is_held and 0 or -redis.call('EXISTS', key))
  end
  if is_held then
    local who
    local first, last = FIRST(), redis.pcall('GET', KEYS[2])
    last = type(last) == 'string' and last or ''
--@ hand_over
    if not who then
      LEAVE()
    end
    if is_announced then
      ANNOUNCE()
    end
  end
end
return failed or result
