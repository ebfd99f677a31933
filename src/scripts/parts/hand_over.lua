-- Makes the first waiter the holder who still wants it and can be told. Returns its id; or false,
-- and then whoever the key names is nobody. `last` is the last fence, or 0 if that is in KEYS[2].
--
-- KEYS[3] is the queue, a sorted set: a place for each, by arrival in µs. A place is "id client
-- lease reserve mark": whom to tell, what to write, how many numbers to reserve, and whether
-- KEYS[4] (a hash, by id) says until when it is kept. If not, that is one lease from arrival, and
-- no less than 1500 ms: as in acquire, and in the client (place_lifetime).
--
-- The message comes last: if anything about a grant fails, nobody was told of it. A client that
-- nobody listens for is gone, and so is one that has not been heard of for too long.
local function hand_over(last)
  while true do
    local first = redis.call('ZPOPMIN', KEYS[3])
    if not first[1] then
      return false
    end
    local id, client, lease, reserve, mark = string.match(first[1], '^(%S+) (%S+) (%d+) (%d+) (%d)$')
    local till = first[2] / 1000 + math.max(lease or 0, 1500)
    if mark == '1' then
      till = tonumber(redis.call('HGET', KEYS[4], id) or 0) or 0
      redis.call('HDEL', KEYS[4], id)
    end
    if id and now <= till then
      last = next_fence(last > 0 and last or last_fence(), reserve)
      write(id, lease)
      local told = redis.pcall('PUBLISH', 'pawl:client:' .. client,
        string.format('grant %s %.0f %.0f %s', id, last, now, KEYS[1]))
      if type(told) == 'number' and told > 0 then
        if #id == 48 and redis.call('EXISTS', KEYS[3]) == 1 then
          tell_lingering(id)
        end
        return id
      end
    end
  end
end
