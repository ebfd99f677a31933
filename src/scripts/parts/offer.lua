-- Waiters were put into the lock's queue. If the lock is free, the first one gets it. A client that lets the lock
-- linger is told that it is wanted.
if woken > 0 and CAN_ENTER() then
  local last = redis.pcall('GET', KEYS[2])
  last = type(last) == 'string' and last or ''
  local first = FIRST()
--@ hand_over
elseif woken > 0 and #who == 48 then
  redis.pcall(SEND(), CHANNELS(KEYS[2]) .. string.sub(who, 33), 'wanted ' .. KEYS[1])
end
