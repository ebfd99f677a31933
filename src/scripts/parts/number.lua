-- Makes `fence`, the number of a vote, after `last`, and sets aside as many numbers above it as `reserve` says, as
-- parts/fence.lua does. KEYS[2] has the last number of this node.
--
-- The clocks of the nodes differ, and a fence needs the same number on a majority of them. So the client proposes
-- the number: `proposal`, a time that no clock of the nodes has reached. The time of this node counts only if the
-- client has heard no clock yet ('0'), or if the last number was lost.
local fence = proposal
-- Mostly the proposal is greater than the last number. Then fewer texts are converted, which costs as much as commands.
if #proposal ~= 16 or #last ~= 16 or last >= proposal then
  local number = math.max((tonumber(last) or 0) + 1, tonumber(proposal))
  if proposal == '0' or last == '' then
    number = math.max(number, tonumber(micros))
  end
  fence = string.format('%016.0f', number)
end
local kept = reserve == '0000' and fence or string.format('%016.0f', fence + reserve)
redis.call('SET', KEYS[2], kept, 'PX', KEPT_FOR())
last = kept
