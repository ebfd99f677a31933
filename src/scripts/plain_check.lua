#!lua flags=allow-oom
-- Is the holder still the holder?
--
-- KEYS  1 lock (string: the holder)
-- ARGV  1 holder
-- Reply 1 yes; 0 the lock is gone; -1 another holds it
local holder = redis.call('GET', KEYS[1])
if not holder then
  return 0
end
return holder == ARGV[1] and 1 or -1
