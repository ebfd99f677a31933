-- The hash layout: one field, the holder, with a count.

local function holder()
  return redis.call('HGETALL', KEYS[1])[1] or false
end

local function write(who, lease)
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], who, 1)
  redis.call('PEXPIRE', KEYS[1], lease)
end
