-- The hash layout: one field, the holder, with a count.
--
-- HOLDER() is (redis.call('HGETALL', KEYS[1])[1] or false)
-- TAKE() is redis.call('HSET', KEYS[1], ARGV[1], 1) redis.call('PEXPIRE', KEYS[1], ARGV[2])

local function write(who, lease)
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], who, 1)
  redis.call('PEXPIRE', KEYS[1], lease)
end
