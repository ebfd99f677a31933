#!lua flags=allow-oom
-- Is the holder still the holder?
--
-- KEYS  1 lock (hash: holder → count)
-- ARGV  1 holder
-- Reply 1 yes; 0 the lock is gone; -1 another holds it
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
  return 1
end
return -redis.call('EXISTS', KEYS[1])
