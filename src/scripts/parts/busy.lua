-- Returns the answer that the lock is busy: who holds it, and for how long. `who` is the holder, `ours` says
-- whether it is one of pawl. `joined` is from parts/join.lua, or ''.
--
-- A holder of pawl is p and 31 hexadecimal digits, or 47: the last 16 of these are its client's.
-- IS_OF_PAWL(@) is string.byte(@) == 112 and (#@ == 32 or #@ == 48) and not string.find(@, '%X', 2)
local left, code = redis.call('PTTL', KEYS[1]), '0 '
if not ours then
  -- Lock libraries write random tokens of 16 characters and more, or, in the old way, a time.
  local shortest = string.find(who, '^[%d.]+$') and 10 or 16
  local is_token = #who >= shortest and not string.find(who, '[^%w%-_=+/:.@]')
  code = (left == -1 and not is_token) and '-3 ' or '-2 '
end
-- Lua writes no more than 14 digits of a number.
return code .. (left < 1e12 and left or '999999999999') .. ' ' .. micros .. joined
