#!lua flags=allow-oom
-- Is the holder still the holder of all locks of a set?
--
-- KEYS  the locks
-- ARGV  1 holder
-- Reply 1 yes; 0 one of them is gone; -1 another one holds one of them
local holder, reply = ARGV[1], 1
for _, key in ipairs(KEYS) do
  local found = FIND()
  if type(found) == 'table' then
    return found
  end
  if not (IS_HOLDER()) then
    reply = math.min(reply, -redis.call('EXISTS', key))
  end
end
return reply
