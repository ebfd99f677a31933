#!lua flags=allow-oom
-- The leader resigns, and the first candidate in the queue leads. A candidate that does not lead leaves the queue.
--
-- KEYS  1 term, 2 fence, 3 queue, 4 queue of watchers
-- ARGV  1 holder, 2 its fence, or '0' if that is not known; then, if it is needed: 3 the announcement, or ''
-- Reply 1 resigned; 0 there is no leader; -1 another one leads

--@ leader
if who ~= ARGV[1] then
--@ leave_queue
  return who and -1 or 0
end
--@ clock
local last = ARGV[2]
if last == '0' then
  -- A key of another type is replaced. An error would keep the leader in office.
  last = redis.pcall('GET', KEYS[2])
  last = type(last) == 'string' and last or ''
end
who = false
--@ next_leader
if not who then
  redis.call('DEL', KEYS[1])
end
ANNOUNCE()
--@ tell_watchers
return 1
