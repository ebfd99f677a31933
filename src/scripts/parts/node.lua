-- The marker of a node of a quorum, KEYS[5]: the run id of the server, a blank, and since when this run is known, in
-- ms by the server's clock (13 digits). It has no expiry.
--
-- A node that has lost its votes must not vote until every lease that it may have forgotten has ended. It has lost
-- them if it has no marker: it is new, or was flushed. It may have lost some if the marker names another run: it was
-- started again, without data or with an old snapshot. Then the marker is written anew, and the quarantine begins.
--
-- Needs `run`, the run id of this server, and `quarantine`, its length in ms. Afterwards `barred` is for how many ms the
-- node must not vote. It is not positive if the node may vote.
local now = string.sub(micros, 1, 13)
local since = redis.call('GET', KEYS[5]) or ''
since = string.sub(since, 1, #run) == run and string.sub(since, #run + 2) or ''
-- A clock that was set back must not prolong the quarantine without end.
if #since ~= 13 or since > now then
  since = now
  redis.call('SET', KEYS[5], run .. ' ' .. since)
end
local barred = since + quarantine - now
