-- Makes the first waiter the holder who still wants it and can be told. Returns whether there is one;
-- if not, whoever the key names is nobody. `first` is what ZPOPMIN found in the queue, `last` the last
-- fence, or 0 if that is in KEYS[2].
--
-- KEYS[3] is the queue, a sorted set: a place for each, by arrival in µs. A place is "id client
-- lease reserve mark": whom to tell, what to write, how many numbers to reserve, and whether
-- KEYS[4] (a hash, by id) says until when it is kept. If not, that is one lease from arrival, and
-- no less than 1500 ms: as in acquire, and in the client (place_lifetime).
--
-- The message comes last: if anything about a grant fails, nobody was told of it. A client that
-- nobody listens for is gone, and so is one that has not been heard of for too long.
--
-- Whether a client listens is asked before it is made the holder. What PUBLISH returns does not say it:
-- it counts onlookers who subscribed to a pattern; and it is 0 for a client that listens at another node
-- of a Cluster, or at a replica, who hears the message all the same.
--
-- An id of 48 characters has the digits of its client at the end: the lock may linger there when nobody
-- holds it any more, unless the client knows that someone else waits for it.
local function hand_over(first, last)
  while first[1] do
    local id, client, lease, reserve, mark = string.match(first[1], '^(%S+) (%S+) (%d+) (%d+) (%d)$')
    local till = first[2] / 1000 + math.max(lease or 0, 1500)
    if mark == '1' then
      till = tonumber(redis.call('HGET', KEYS[4], id) or 0) or 0
      redis.call('HDEL', KEYS[4], id)
    end
    if id and now <= till then
      local channel = 'pawl:client:' .. client
      local listeners = redis.pcall('PUBSUB', 'NUMSUB', channel)[2]
      if listeners and listeners > 0 then
        last = next_fence(last > 0 and last or last_fence(), reserve)
        write(id, lease)
        local told = redis.pcall('PUBLISH', channel,
          string.format('grant %s %.0f %.0f %s', id, last, now, KEYS[1]))
        if type(told) == 'number' then
          if #id == 48 and redis.call('EXISTS', KEYS[3]) == 1 then
            redis.pcall('PUBLISH', 'pawl:client:' .. string.sub(id, 33), 'wanted ' .. KEYS[1])
          end
          return true
        end
      end
    end
    first = redis.call('ZPOPMIN', KEYS[3])
  end
  return false
end
