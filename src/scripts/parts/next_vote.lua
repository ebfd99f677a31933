-- Gives the vote of this node to the first waiter that is ahead of ARGV[1], and tells it. ARGV[1] has `ticket`: if
-- that is nil, all waiters are ahead of it. Needs `last`, the last number or '', and `proposal`. Afterwards `who` is the
-- waiter that has the vote, or false. parts/hand_over.lua gives the reasons for the order of the steps.
who = false
local ahead = redis.call('ZRANGE', KEYS[3], '0', '0', 'WITHSCORES')
while ahead[1] and ahead[1] ~= ARGV[1] and (not ticket or tonumber(ahead[2]) < tonumber(ticket) or
    tonumber(ahead[2]) == tonumber(ticket) and ahead[1] < ARGV[1]) do
  local first, place = ahead[1], redis.call('HGET', KEYS[4], ahead[1]) or ''
  redis.call('ZREM', KEYS[3], first)
  redis.call('HDEL', KEYS[4], first)
  if micros < place then
    local channel = 'pawl:client:' .. CLIENT_IN(place)
    local listeners = redis.pcall('PUBSUB', 'NUMSUB', channel)[2]
    local reserve, lease = RESERVE_IN(place), LEASE_IN(place)
    if listeners and listeners > 0 and tonumber(lease) then
--@ number
      who = first
      redis.call('SET', KEYS[1], who, 'PX', lease)
      local told = redis.pcall('PUBLISH', channel,
        'grant ' .. who .. ' ' .. fence .. ' ' .. micros .. ' ' .. KEYS[1])
      if type(told) ~= 'number' then
        redis.call('DEL', KEYS[1])
        who = false
      end
    end
  end
  ahead = who and {} or redis.call('ZRANGE', KEYS[3], '0', '0', 'WITHSCORES')
end
