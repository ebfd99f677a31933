-- `who` enters with `lease` and `weight`, or is in already and its lease is counted anew. Never shortens a lease.
-- The weight counts only if the member is new.
local ends = now + lease
local before = redis.call('ZSCORE', KEYS[1], who)
if not before then
  out = out + weight
  redis.call('ZADD', KEYS[1], ends, who, -out, 'out')
elseif tonumber(before) < ends then
  redis.call('ZADD', KEYS[1], ends, who)
end
-- The capacity is remembered for 24 hours after its last use.
if wanted ~= '' then
  if not known then
    known = 'capacity'
    redis.call('ZADD', KEYS[1], -capacity, known)
  end
  ends = ends + FENCE_LIFETIME()
end
lives = lives or redis.call('PTTL', KEYS[1])
if lives < ends - now then
  lives = ends - now
  redis.call('PEXPIRE', KEYS[1], lives)
end
