#!lua flags=allow-oom
-- Ends the term of a leader, because an operator says so. The first candidate in the queue leads, as after a
-- resignation.
--
-- KEYS  1 term, 2 fence, 3 queue, 4 queue of watchers
-- ARGV  1 holder, 2 '0', 3 the announcement, or '', 4 the digits of the holder's client, or '', 5 the reason
-- Reply 1 broken; 0 there is no leader; -1 another one leads

--@ leader
if who ~= ARGV[1] then
  return who and -1 or 0
end
--@ clock
-- A key of another type is replaced. An error would keep the leader in office.
local last = redis.pcall('GET', KEYS[2])
last = type(last) == 'string' and last or ''
who = false
--@ next_leader
if not who then
  redis.call('DEL', KEYS[1])
end
ANNOUNCE()
--@ tell_watchers
TELL_ROBBED()
return 1
