-- ARGV[1] waits no more: both its elements are removed from the queue. A server that does not know LPOS has
-- no RESP3, and so no queue. LREM comes first: before 7.0, when memory is full, LSET is refused unless the
-- script has written before.
local found = redis.pcall('LPOS', KEYS[3], ARGV[1])
if type(found) == 'number' then
  redis.call('LREM', KEYS[3], '1', ARGV[1])
  redis.call('LSET', KEYS[3], found, ARGV[1])
  redis.call('LREM', KEYS[3], '1', ARGV[1])
end
