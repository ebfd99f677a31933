// The defects of leaders.
#include "sim/mutants.h"

namespace pawl::sim {

using code = base::mutant;

std::vector<mutant> leader_mutants()
{
    return {
        {"D19-leaders", "a candidate does not look again by itself", code::d19_no_timer, {}},
        {"D19-watchers",
         "a watcher does not look again by itself",
         code::d19_no_timer_of_watcher,
         {}},
        {"old-payload",
         "a new leader shows the payload of the one before",
         code::none,
         {{"    redis.call('DEL', KEYS[1])\n    redis.call('RPUSH', KEYS[1], first, candidate,",
           "    candidate = redis.call('LINDEX', KEYS[1], 1) or candidate\n"
           "    redis.call('DEL', KEYS[1])\n    redis.call('RPUSH', KEYS[1], first, candidate,"}}},
        {"watchers-not-told",
         "another one leads, and the watchers are not told",
         code::none,
         {{"  if micros < kept then\n", "  if false then\n"}}},
        {"yields-to-nobody",
         "a leader that yields resigns, and the candidate that it named does not lead",
         code::none,
         {{"local left, last, by = math.max(redis.call('PTTL', KEYS[1]), 1), ARGV[2], ARGV[1]\n",
           "local left, last, by = math.max(redis.call('PTTL', KEYS[1]), 1), ARGV[2], ARGV[1]\n"
           "redis.call('DEL', KEYS[1])\nif place then\n  return 1\nend\n"}}},
    };
}

}  // namespace pawl::sim
