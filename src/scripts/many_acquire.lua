#!lua
-- Takes all locks of a set, or none of them. If one is busy, joins the queue of the first one that is, and
-- leaves the others: a waiter has a place in one queue only.
--
-- When that lock is handed over to the waiter, it has a part of the set. A part has a holder of its own, so
-- that it is never taken for the whole: the holder of the set in capital letters. It begins with pA. Its lease
-- is the short one in the place. The waiter then asks again: with a part it gets the rest, or gives it back.
--
-- KEYS  lock, fence and queue of each lock in turn
-- ARGV  1 holder,
--       2 until when they are wanted, in µs by this server's clock (16 digits), or '0',
--       3 the sum of 1 if an earlier try may have run, 2 to join a queue if one is busy, 16 to say how many wait,
--       4 the place (parts/place.lua), with the lease of a part,
--       5 holder of a part, 6 lease in ms
-- Reply as of acquire.lua. One fence is for all: it is greater than all before it of each lock. If they are
--       busy, the answer is about the first one that is.
--
-- Refused when memory is full: not flagged allow-oom.

--@ clock
if ARGV[2] < micros and ARGV[2] ~= '0' then
  return '-1 0 ' .. micros
end

local all, mine, part, flags = KEYS, ARGV[1], ARGV[5], ARGV[3] + 0
local whose, has_part, joined = {}, false, ''
for i = 1, #all, 3 do
  local KEYS = {all[i]}
  whose[i] = HOLDER()
  has_part = has_part or whose[i] == part
end

-- A part is nobody's lock. So two sets that have a part each do not wait for each other: the first one that
-- asks takes both. A caller without a part takes none: it would overtake the waiters in that queue. All digits of
-- a part are checked: a random token of another program may begin with pA too.
local busy
for i = 1, #all, 3 do
  local who = whose[i]
  if who and who ~= mine and who ~= part and
      not (has_part and #who == 32 and string.find(who, '^pA[%dA-F]+$')) then
    busy = busy or i
    if #who == 48 and IS_OF_PAWL(who) then
      redis.pcall(SEND(), CHANNELS(all[i + 1]) .. string.sub(who, 33), 'wanted ' .. all[i])
    end
  end
end

if busy then
  -- Locks that the holder has as a whole are not given back: then this request is an old one, or the server
  -- has lost data. These locks end with their lease.
  for i = 1, #all, 3 do
    local KEYS, ARGV = {all[i], all[i + 1], all[i + 2]}, {part}
    if i ~= busy then
--@ leave_queue
    end
    if whose[i] == part then
      local who
      local first, last = FIRST(), redis.pcall('GET', KEYS[2])
      last = type(last) == 'string' and last or ''
--@ hand_over
      if not who then
        LEAVE()
      end
    end
  end
  local KEYS, ARGV = {all[busy], all[busy + 1], all[busy + 2]}, {part, '', '', ARGV[4]}
  local who, ends = whose[busy], END_IN(ARGV[4])
  local ours = IS_OF_PAWL(who)
  if flags % 4 >= 2 and micros < ends then
--@ join
  end
--@ busy
end

-- The fence first: if anything about it fails, nothing has been taken.
local last = ''
for i = 2, #all, 3 do
  local known = redis.call('GET', all[i]) or ''
  if (tonumber(known) or 0) > (tonumber(last) or 0) then
    last = known
  end
end
local reserve, lease = '0000', ARGV[6]
--@ fence
for i = 5, #all, 3 do
  redis.call('SET', all[i], kept, 'PX', lifetime)
end

local who, had_all = mine, true
for i = 1, #all, 3 do
  local KEYS, ARGV = {all[i], all[i + 1], all[i + 2]}, {part}
  if whose[i] ~= mine then
    had_all = false
    MAKE_ROOM()
    ENTER()
  elseif redis.call('PTTL', KEYS[1]) < tonumber(lease) then
    redis.call('PEXPIRE', KEYS[1], lease)
  end
--@ leave_queue
end
return (had_all and '2 ' or '1 ') .. fence .. ' ' .. micros
