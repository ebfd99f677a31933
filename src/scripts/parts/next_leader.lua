-- The first candidate in the queue leads from now on. Needs `last`, the last fence or ''. Afterwards `who` is the
-- leader, or false.
local first, by = redis.call('LPOP', KEYS[3]), ''
while first do
  local place = redis.call('LPOP', KEYS[3])
--@ lead
  first = not who and redis.call('LPOP', KEYS[3])
end
