-- Lets in waiters from the head of the queue, as long as one can enter, each with its own lease and fence.
-- `first` is the first one, which FIRST() took out of the queue, or false. `last` is the last fence, or ''.
-- Afterwards `who` is the one that entered last, or false.
--
-- The message comes last: if anything about a grant fails, nobody was told of it. A waiter is passed over if
-- its place is no longer kept, or if its client does not listen and so is gone.
--
-- Whether a client listens is asked before it is made the holder. What PUBLISH returns does not say it:
-- it counts onlookers who subscribed to a pattern; and it is 0 for a client that listens at another node
-- of a Cluster, or at a replica, who hears the message all the same.
--
-- An id of 48 characters has the digits of its client at the end: the lock may linger there when nobody
-- holds it any more, unless the client knows that another one waits for it.
MAKE_ROOM()
who = false
while first do
  local place = redis.call('LPOP', KEYS[3])
  if place and micros < place then
    local channel = 'pawl:client:' .. CLIENT_IN(place)
    local listeners = redis.pcall('PUBSUB', 'NUMSUB', channel)[2]
    local reserve, lease = RESERVE_IN(place), LEASE_IN(place)
    if listeners and listeners > 0 and tonumber(lease) then
--@ fence
      who = first
      ENTER()
      local told = redis.pcall('PUBLISH', channel,
        'grant ' .. who .. ' ' .. fence .. ' ' .. micros .. ' ' .. KEYS[1])
      if type(told) ~= 'number' then
        LEAVE()
        who = false
      elseif #who == 48 and redis.call('EXISTS', KEYS[3]) == 1 then
        redis.pcall('PUBLISH', 'pawl:client:' .. string.sub(who, 33), 'wanted ' .. KEYS[1])
      end
    end
  end
  first = CAN_ENTER() and FIRST()
end
