-- Makes `number`, the fence for an entry with `place`, as parts/fence.lua does. A reader carries the fence of the
-- last writer, so that a resource can order reads and writes.
local number = last
if MODE_IN(place) ~= 's' or #last ~= 16 then
--@ fence
  number = fence
end
