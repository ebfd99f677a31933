-- Lets in waiters from the head of the queue, as long as one can enter, each with its own lease and fence.
-- `first` is the first one, which FIRST() took out of the queue, or false. `last` is the last fence, or ''.
-- Afterwards `who` is the one that entered last, or false.
--
-- The message comes last: if anything about a grant fails, no client was told of it. A waiter is passed over if
-- its place is no longer kept, or if its client does not listen and so is gone.
--
-- The script asks whether a client listens before it makes a waiter the holder. The result of PUBLISH does
-- not say so: it counts clients that subscribed to a pattern; and it leaves out clients that listen at a
-- replica or at another node of a Cluster, although they get the message.
--
-- A holder of 48 characters ends with its client's digits. That client may let the lock linger, so it is
-- told if others wait.
MAKE_ROOM()
who = false
while first do
  local place = redis.call('LPOP', KEYS[3])
  if place and micros < place then
    local channel = CHANNELS(KEYS[2]) .. CLIENT_IN(place)
    local listeners = redis.pcall('PUBSUB', LISTENERS(), channel)[2]
    local reserve, lease = RESERVE_IN(place), LEASE_IN(place)
    if listeners and listeners > 0 and tonumber(lease) then
--@ fence
      who = first
      ENTER()
      local told = redis.pcall(SEND(), channel,
        'grant ' .. who .. ' ' .. fence .. ' ' .. micros .. ' ' .. KEYS[1])
      if type(told) ~= 'number' then
        LEAVE()
        who = false
      elseif #who == 48 and redis.call('EXISTS', KEYS[3]) == 1 then
        redis.pcall(SEND(), CHANNELS(KEYS[2]) .. string.sub(who, 33), 'wanted ' .. KEYS[1])
      end
    end
  end
  first = CAN_ENTER() and FIRST()
end
