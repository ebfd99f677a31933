#!lua flags=allow-oom
-- Counts the leases of many votes anew, each if the node has voted for its holder. A node that has lost the vote votes
-- for this holder again, as long as the holder has the lock. Never shortens a lease.
--
-- In quarantine the node has forgotten its votes, and another holder may count on one of them. So there it votes only
-- for a holder that had the vote of this very node, as long as that vote lasts. A vote that it finds may be from an old
-- snapshot, so the same is true of it.
--
-- KEYS  1 node, then lock and fence of each vote in turn
-- ARGV  1 run id, 2 length of the quarantine in ms, then for each vote: holder, lease in ms, last number that the node
--       must know, and two times in µs by this server's clock (16 digits): until when the node may vote for the holder
--       again, or '0' to renew only; until when the vote of this node lasts, or '0' if it has none
-- Reply the time of this server in µs, then for each vote: 1 renewed; 2 voted again; 0 gone; -1 the node has voted for
--       another one; -2 not a lock

--@ clock
local all, replies, run, quarantine, has_forgotten = KEYS, {micros}, ARGV[1], ARGV[2], nil
do
  local KEYS = {'', '', '', '', all[1]}
--@ node
  has_forgotten = barred > 0
end
for i = 2, #all, 2 do
  local first = 5 * i / 2 - 2
  local holder, lease, number = ARGV[first], ARGV[first + 1], ARGV[first + 2]
  local held_until, vote_until = ARGV[first + 3], ARGV[first + 4]
  local who, reply = redis.pcall('GET', all[i]), 1
  if type(who) == 'table' then
    if not string.find(who.err, 'WRONGTYPE', 1, true) then
      return who
    end
    reply = -2
  elseif has_forgotten and vote_until < micros then
    reply = who and who ~= holder and -1 or 0
  elseif who == holder then
    if redis.call('PTTL', all[i]) < tonumber(lease) then
      redis.call('PEXPIRE', all[i], lease)
    end
  elseif who then
    reply = -1
  elseif held_until < micros then
    reply = 0
  else
    reply = 2
    -- Before 7.0, when memory is full, SET is refused unless the script has written before.
    redis.call('DEL', all[i])
    redis.call('SET', all[i], holder, 'PX', lease)
  end
  if reply > 0 and (tonumber(redis.pcall('GET', all[i + 1]) or '') or 0) < tonumber(number) then
    local kept = string.format('%016.0f', number)
    redis.call('SET', all[i + 1], kept, 'PX', KEPT_FOR())
  end
  replies[#replies + 1] = reply
end
return replies
