#!lua flags=allow-oom
-- Gives a lock back for good, however often it is held, if it is still its holder's.
--
-- KEYS  1 lock (hash: holder → count)
-- ARGV  1 holder
-- Reply 1 released; 0 the lock is gone; -1 another holds it
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return -redis.call('EXISTS', KEYS[1])
end
redis.call('DEL', KEYS[1])
return 1
