-- The candidate `first` leads from now on, with its `place`. It does not if its place is no longer kept, or if its
-- client does not listen; parts/hand_over.lua gives the reasons. Needs `last`, the last fence or '', and `by`, the
-- holder that yields to it, or ''. Afterwards `who` is the candidate, or false.
--
-- The place of a candidate has two fields more than that of other waiters: a space after the lease, and then the
-- candidate, as in parts/term.lua.
who = false
if place and micros < place then
  local channel = CHANNELS(KEYS[2]) .. CLIENT_IN(place)
  local listeners = redis.pcall('PUBSUB', LISTENERS(), channel)[2]
  local lease, candidate = string.match(place, '^(%d+) (.*)$', 35)
  if listeners and listeners > 0 and lease then
    local reserve = '0000'
--@ fence
    redis.call('DEL', KEYS[1])
    redis.call('RPUSH', KEYS[1], first, candidate, fence, by, '0')
    redis.call('PEXPIRE', KEYS[1], lease)
    local told = redis.pcall(SEND(), channel,
      'grant ' .. first .. ' ' .. fence .. ' ' .. micros .. ' ' .. KEYS[1])
    if type(told) == 'number' then
      who = first
    else
      redis.call('DEL', KEYS[1])
    end
  end
end
