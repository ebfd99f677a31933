#!lua flags=allow-oom
-- Is the holder still in?
--
-- KEYS  1 members
-- ARGV  1 holder and weight
-- Reply 1 yes; 0 no
--@ clock
local ends = redis.call('ZSCORE', KEYS[1], ARGV[1])
return ends and tonumber(ends) > micros / 1000 and 1 or 0
