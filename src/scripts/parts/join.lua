-- ARGV[1] joins the queue with the place ARGV[4], until `ends`. If it has a place there, that place is kept
-- for longer. If `flags` has 16 and the place is a new one, `joined` is a blank and the number of waiters, this one
-- included.
local length, found = 0, nil
if flags % 2 == 1 then
  found = redis.call('LPOS', KEYS[3], ARGV[1])
end
if found then
  if (redis.call('LINDEX', KEYS[3], found + 1) or '') < ARGV[4] then
    redis.call('LSET', KEYS[3], found + 1, ARGV[4])
  end
else
  length = redis.call('RPUSH', KEYS[3], ARGV[1], ARGV[4])
  -- A repetition of this request may have come first, and have a place. Then the new place is removed: LSET
  -- writes the id over it, so that LREM finds both elements. Only the last 500 places are searched, because
  -- the two requests are seconds apart at most.
  if length > 2 and flags % 2 == 0 and
      redis.call('LPOS', KEYS[3], ARGV[1], 'RANK', '-2', 'MAXLEN', '1000') then
    redis.call('LREM', KEYS[3], '-1', ARGV[1])
    redis.call('LSET', KEYS[3], '-1', ARGV[1])
    redis.call('LREM', KEYS[3], '-1', ARGV[1])
  end
end
if flags >= 16 and length > 0 then
  -- The length may be odd if another program has written to the key.
  joined = ' ' .. math.floor(length / 2)
end
-- Redis takes no number with leading zeros. A clock before September 2001 has them.
if ends < '1' then
  ends = ends + 0
end
-- The key expires when the place that is kept longest does. GT needs 7.0.
if length == 2 or redis.pcall('PEXPIREAT', KEYS[3], ends, 'GT') ~= 1 and
    redis.call('PTTL', KEYS[3]) < ends - micros / 1000 then
  redis.call('PEXPIREAT', KEYS[3], ends)
end
