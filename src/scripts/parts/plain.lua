-- The plain layout: a string, the holder.
--
-- HOLDER() is redis.call('GET', KEYS[1])
-- TAKE() is redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])

local function write(who, lease)
  redis.call('SET', KEYS[1], who, 'PX', lease)
end
