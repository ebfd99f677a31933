-- ARGV[1] joins the queue with the place ARGV[4], until `ends`. If it has a place there, that is kept for
-- longer.
local length, found = 0, nil
if flags % 2 == 1 then
  found = redis.call('LPOS', KEYS[3], ARGV[1])
end
if found then
  if redis.call('LINDEX', KEYS[3], found + 1) < ARGV[4] then
    redis.call('LSET', KEYS[3], found + 1, ARGV[4])
  end
else
  length = redis.call('RPUSH', KEYS[3], ARGV[1], ARGV[4])
  -- What looks like a first try may have been overtaken by its own repetition. That was a moment ago, so
  -- the last 50 places are enough to look at.
  if length > 2 and flags % 2 == 0 and
      redis.call('LPOS', KEYS[3], ARGV[1], 'RANK', '-2', 'MAXLEN', '100') then
    redis.call('LREM', KEYS[3], '-1', ARGV[1])
    redis.call('LSET', KEYS[3], '-1', ARGV[1])
    redis.call('LREM', KEYS[3], '-1', ARGV[1])
  end
end
-- The queue lasts as long as its last place. GT needs 7.0.
if length == 2 or redis.pcall('PEXPIREAT', KEYS[3], ends, 'GT') ~= 1 and
    redis.call('PTTL', KEYS[3]) < ends - micros / 1000 then
  redis.call('PEXPIREAT', KEYS[3], ends)
end
