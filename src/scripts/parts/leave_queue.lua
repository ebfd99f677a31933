-- ARGV[1] waits no more: both its elements are removed from the queue. The place is overwritten with the id,
-- so that LREM can remove it. LREM comes first: before 7.0, when memory is full, LSET is refused unless the
-- script has written before. Before 6.0.6 there is no LPOS, and no client joins a queue. A waiter has two places if
-- its first request came after its repetition, and parts/join.lua has not found the other place.
local found = redis.pcall('LPOS', KEYS[3], ARGV[1])
while type(found) == 'number' do
  redis.call('LREM', KEYS[3], '1', ARGV[1])
  if redis.pcall('LSET', KEYS[3], found, ARGV[1]).ok then
    redis.call('LREM', KEYS[3], '1', ARGV[1])
  end
  found = redis.pcall('LPOS', KEYS[3], ARGV[1])
end
