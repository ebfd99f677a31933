-- Lets in waiters from the head of the queue, as long as the first one fits, each with its own lease and fence.
-- It stops at ARGV[1], which is the script's own business. Afterwards `first` is the first waiter, or false.
--
-- A waiter whose place is no longer kept, or whose client does not listen, is removed, even if it does not fit:
-- it must not block those behind it. parts/hand_over.lua gives the reasons for the rest.
local first = redis.call('LINDEX', KEYS[3], 0)
while first and first ~= ARGV[1] do
  local who, weight, place = first, WEIGHT_IN(first), redis.call('LINDEX', KEYS[3], 1) or ''
  local channel, lease = 'pawl:client:' .. CLIENT_IN(place), tonumber(LEASE_IN(place))
  local listeners = micros < place and redis.pcall('PUBSUB', 'NUMSUB', channel)[2] or 0
  local waits = weight and lease and listeners > 0
  if waits and out + weight > capacity then
    break
  end
  redis.call('LPOP', KEYS[3])
  redis.call('LPOP', KEYS[3])
  if waits then
    local last, reserve = redis.pcall('GET', KEYS[2]), '0000'
    last = type(last) == 'string' and last or ''
--@ member_fence
--@ enter
    local told = redis.pcall('PUBLISH', channel,
      'grant ' .. who .. ' ' .. number .. ' ' .. micros .. ' ' .. KEYS[1])
    if type(told) ~= 'number' then
      out = out - weight
      redis.call('ZREM', KEYS[1], who)
      redis.call('ZADD', KEYS[1], -out, 'out')
    end
  end
  first = redis.call('LINDEX', KEYS[3], 0)
end
