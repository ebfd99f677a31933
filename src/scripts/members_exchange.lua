#!lua flags=allow-oom
-- Changes how a holder of a shared mutex is in: a writer becomes a reader, or the only reader becomes the writer.
-- A new holder enters as the old one leaves, so no other can come between them. Then all waiters that fit are let
-- in. The new holder has a new id, so a delayed request cannot undo a later change.
--
-- KEYS  1 members, 2 fence, 3 queue
-- ARGV  1 new holder and weight, 2 until when it is wanted, 3 not used, 4 its place, 5 the capacity: as in
--       members_acquire.lua, 6 old holder and weight
-- Reply 'CODE NUMBER TIME': 1, 2, -1 as in members_acquire.lua; 0 busy: others are in; -7 the old one is not in

--@ clock
if ARGV[2] < micros and ARGV[2] ~= '0' then
  return '-1 0 ' .. micros
end
local wanted = ARGV[5]
--@ census
local who, weight, place, lease = ARGV[1], WEIGHT_IN(ARGV[1]), ARGV[4], LEASE_IN(ARGV[4])
local found, old = redis.call('ZSCORE', KEYS[1], who), redis.call('ZSCORE', KEYS[1], ARGV[6])
if not found then
  if not old then
    return '-7 0 ' .. micros
  end
  if out - WEIGHT_IN(ARGV[6]) + weight > capacity then
    return '0 -1 ' .. micros
  end
end
local last, reserve = redis.call('GET', KEYS[2]) or '', '0000'
-- Before 7.0, when memory is full, SET is refused unless the script has written before. This changes nothing.
redis.call('ZREM', KEYS[1], '')
--@ member_fence
if old then
  redis.call('ZREM', KEYS[1], ARGV[6])
  out = out - WEIGHT_IN(ARGV[6])
  lease = math.max(lease, old - now)
end
--@ enter
local own_place = ''
--@ let_in
-- Even if nothing changes it is written: WAIT counts from the last write.
redis.call('PEXPIRE', KEYS[1], lives)
return (found and '2 ' or '1 ') .. number .. ' ' .. micros
