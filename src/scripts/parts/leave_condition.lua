-- ARGV[1] is removed from the condition, where its id is at `found`: as parts/leave_queue.lua does it.
redis.call('LREM', KEYS[4], '1', ARGV[1])
redis.call('LSET', KEYS[4], found, ARGV[1])
redis.call('LREM', KEYS[4], '1', ARGV[1])
