-- There is another leader, or none: tells all watchers at once, and takes them out of their queue, KEYS[4]. All of
-- them have seen a leader that is over now, because one that has seen another leader than the present one does not
-- join.
local watcher, kept = redis.call('LPOP', KEYS[4]), redis.call('LPOP', KEYS[4])
while kept do
  if micros < kept then
    redis.pcall(SEND(), CHANNELS(KEYS[2]) .. CLIENT_IN(kept),
      'grant ' .. watcher .. ' ' .. micros .. ' ' .. micros .. ' ' .. KEYS[1])
  end
  watcher, kept = redis.call('LPOP', KEYS[4]), redis.call('LPOP', KEYS[4])
end
