-- The plain layout: a string, the holder.

local function holder()
  return redis.call('GET', KEYS[1])
end

local function write(who, lease)
  redis.call('SET', KEYS[1], who, 'PX', lease)
end
