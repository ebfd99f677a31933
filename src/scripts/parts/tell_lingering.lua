-- A holder of 48 digits has those of its client at the end: the lock may linger there when nobody holds it
-- any more, unless the client knows that someone else waits for it.
local function tell_lingering(who)
  if #who == 48 then
    redis.pcall('PUBLISH', 'pawl:client:' .. string.sub(who, 33), 'wanted ' .. KEYS[1])
  end
end
