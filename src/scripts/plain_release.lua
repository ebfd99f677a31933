#!lua flags=allow-oom
-- Gives a lock back, if it is still its holder's.
--
-- KEYS  1 lock (string: the holder)
-- ARGV  1 holder
-- Reply 1 released; 0 the lock is gone; -1 another holds it
local holder = redis.call('GET', KEYS[1])
if not holder then
  return 0
end
if holder ~= ARGV[1] then
  return -1
end
redis.call('DEL', KEYS[1])
return 1
