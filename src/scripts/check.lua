#!lua flags=allow-oom
-- Is the holder still the holder?
--
-- KEYS  1 lock
-- ARGV  1 holder
-- Reply 1 yes; 0 the lock is gone; -1 another one holds it
local key, holder = KEYS[1], ARGV[1]
local found = FIND()
if type(found) == 'table' then
  return found
end
return IS_HOLDER() and 1 or -redis.call('EXISTS', key)
