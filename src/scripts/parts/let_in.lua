-- Lets in waiters from the head of the queue, as long as the first one fits, each with its own lease and fence.
-- Needs `own_place`: the place with which ARGV[1] enters if its turn comes, or '' if it must not enter. It is not
-- told by a message: `entered` is its fence. Afterwards `first` is the first waiter, or false.
--
-- A waiter whose place is no longer kept, or whose client does not listen, is removed, even if it does not fit:
-- it must not block those behind it. parts/hand_over.lua gives the reasons for the rest. A client that may not ask
-- who listens lets nobody in.
local first, entered = redis.call('LINDEX', KEYS[3], 0), nil
local last, reserve, heard = first and redis.pcall('GET', KEYS[2]), '0000', {}
last = type(last) == 'string' and last or ''
while first do
  local who, weight, own = first, WEIGHT_IN(first), first == ARGV[1]
  local place = own and own_place or redis.call('LINDEX', KEYS[3], 1) or ''
  local channel, lease = CHANNELS(KEYS[2]) .. CLIENT_IN(place), tonumber(LEASE_IN(place))
  local waits = weight and lease and (own or micros < place)
  if waits and not own then
    local listeners = heard[channel] or redis.pcall('PUBSUB', LISTENERS(), channel)
    if listeners.err then
      break
    end
    heard[channel] = listeners
    waits = listeners[2] > 0
  end
  if waits and out + weight > capacity then
    break
  end
  redis.call('LPOP', KEYS[3])
  redis.call('LPOP', KEYS[3])
  if waits then
--@ member_fence
--@ enter
    if own then
      entered = number
    elseif type(redis.pcall(SEND(), channel,
        'grant ' .. who .. ' ' .. number .. ' ' .. micros .. ' ' .. KEYS[1])) ~= 'number' then
      out = out - weight
      redis.call('ZREM', KEYS[1], who)
      redis.call('ZADD', KEYS[1], -out, 'out')
    end
  end
  first = redis.call('LINDEX', KEYS[3], 0)
end
