#!lua flags=allow-oom
-- Notes how often the holder holds the lock, and counts the lease anew. The count is given, not
-- changed by one, so that a repeated request counts once.
--
-- KEYS  1 lock (hash: holder → count)
-- ARGV  1 holder, 2 lease in ms, 3 count
-- Reply 1 done; 0 the lock is gone; -1 another holds it
if not redis.call('HGET', KEYS[1], ARGV[1]) then
  return -redis.call('EXISTS', KEYS[1])
end
-- The lease first: before 7.0, when memory is full, HSET is refused unless the script has written before.
redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), ARGV[2]))
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
