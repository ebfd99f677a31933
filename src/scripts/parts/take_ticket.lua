-- ARGV[1] joins the queue, with `ticket` and `place`, which is kept for `stay` ms. If it has a place there, that place
-- is kept for longer. The keys expire when the place that is kept longest does.
redis.call('ZADD', KEYS[3], ticket, ARGV[1])
if (redis.call('HGET', KEYS[4], ARGV[1]) or '') < place then
  redis.call('HSET', KEYS[4], ARGV[1], place)
end
for i = 3, 4 do
  if redis.call('PTTL', KEYS[i]) < tonumber(stay) then
    redis.call('PEXPIRE', KEYS[i], stay)
  end
end
