-- Tells whoever listens of a release. ARGV[2] is `flags`.
local name, who = KEYS[1], ARGV[1]
if flags % 4 >= 2 then
  name, who = ARGV[5], ARGV[6]
end
redis.pcall('PUBLISH', 'lock:release:' .. KEYS[1],
  string.format('{"lockKey":"%s","releaseTime":%.0f,"holder":"%s"}', name, now, who))
