-- Moves up to `most` waiters from the condition to the end of the lock's queue. Afterwards `woken` is their number.
--
-- A waiter is removed and not counted if its place is no longer kept, or if its client does not listen. Such a
-- client may only have lost its connection. Its waiter then finds out with its next look that it is not in the
-- condition any more, and takes that for a notification. So no waiter is forgotten.
local waiter, place = false, false
while woken < most do
  waiter, place = redis.call('LPOP', KEYS[4]), redis.call('LPOP', KEYS[4])
  if not place then
    break
  end
  local listeners = micros < place and
    redis.pcall('PUBSUB', LISTENERS(), CHANNELS(KEYS[2]) .. CLIENT_IN(place))[2]
  if listeners and listeners > 0 then
    redis.call('RPUSH', KEYS[3], waiter, place)
    woken = woken + 1
    local left = math.max(math.ceil(END_IN(place) - micros / 1000), 1)
    if redis.call('PTTL', KEYS[3]) < left then
      redis.call('PEXPIRE', KEYS[3], left)
    end
  end
end
